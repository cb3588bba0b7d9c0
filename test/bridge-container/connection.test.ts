import { describe, expect, it } from 'vitest';
import { connectionOf } from '../../bridge/connection.ts';
import { ConnectionError } from '../../lib/cluster/errors.ts';
import { certificateAuthority } from '../../lib/cluster/testing/certificates.ts';
import { ConfigError, readConfig } from '../../lib/config.ts';

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
const named = { PV_CLUSTER_ENDPOINT: 'https://127.0.0.1:6443', PV_CLUSTER_NAME: 'example', AWS_REGION: 'eu-central-1' };

describe('connectionOf', () => {
  it('makes EKS tokens for a cluster that is named, whether this is a pod or not', async () => {
    const ca = certificateAuthority().certificate;
    const config = readConfig({ ...named, PV_CLUSTER_CA: Buffer.from(ca).toString('base64') });
    const connection = connectionOf(config, credentials, { KUBERNETES_SERVICE_HOST: '10.0.0.1' });
    expect(connection).toMatchObject({ server: 'https://127.0.0.1:6443', ca });
    const [, url = ''] = (await connection.token?.())?.split('k8s-aws-v1.') ?? [];
    expect(Buffer.from(url, 'base64url').toString()).toMatch(/^https:\/\/sts\.eu-central-1\.amazonaws\.com\/.*AKID/);
  });

  it('says what to set outside of a pod, and in one without a service account', () => {
    const elsewhere = () => connectionOf(readConfig({}), credentials, {});
    expect(elsewhere).toThrow(ConfigError);
    expect(elsewhere).toThrow(/this is no pod: KUBERNETES_SERVICE_HOST.*PV_CLUSTER_ENDPOINT/);
    const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    expect(() => connectionOf(readConfig({}), credentials, pod, '/does-not-exist')).toThrow(
      /no service account at \/does-not-exist.*automountServiceAccountToken/,
    );
  });

  it('refuses a certificate authority that is none', () => {
    const config = readConfig({ ...named, PV_CLUSTER_CA: Buffer.from('nothing').toString('base64') });
    expect(() => connectionOf(config, credentials, {})).toThrow(ConnectionError);
  });
});
