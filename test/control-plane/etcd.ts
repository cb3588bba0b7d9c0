import { get } from 'node:http';
import { join } from 'node:path';
import { ManagedProcess } from './managed-process.ts';
import { freePort } from './ports.ts';

/** An etcd of one member, and where it listens. */
export interface Etcd {
  readonly process: ManagedProcess;
  readonly url: string;
}

/** Starts etcd with an empty store below `directory`. */
export async function startEtcd(binary: string, directory: string): Promise<Etcd> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peerUrl = `http://127.0.0.1:${await freePort()}`;
  const etcd = await ManagedProcess.start({
    binary,
    program: 'etcd',
    logFile: join(directory, 'etcd.log'),
    args: [
      '--name=default',
      `--data-dir=${join(directory, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      // The store does not outlive the test.
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  });
  await etcd.untilReady(() => answersOk(`${url}/health`));
  return { process: etcd, url };
}

function answersOk(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once('error', reject);
  });
}
