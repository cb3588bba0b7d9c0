/** Stage files that together use every choice there is: the stack is checked for each of them. */

/** A self-signed certificate for nothing; its key was thrown away. */
export const CERTIFICATE =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJnakNDQVNlZ0F3SUJBZ0lVTTZka1VBZXg5aVpRSzJRSGlXRXg4c1BYcmkwd0NnWUlLb1pJemowRUF3SXcKRlRFVE1CRUdBMVVFQXd3S2EzVmlaWEp1WlhSbGN6QWdGdzB5TmpFeE16QXdORE16TVRSYUdBOHlNVEkyTVRFdwpOakEwTXpNeE5Gb3dGVEVUTUJFR0ExVUVBd3dLYTNWaVpYSnVaWFJsY3pCWk1CTUdCeXFHU000OUFnRUdDQ3FHClNNNDlBd0VIQTBJQUJEajc0enZWYVlEWTM3UVRmQktkK3lEY1hSQ1o5dlRrTC9CMTBQbEY5Ym0xbElIa2prb0cKZWErazdzcGhxLzJnNjlaWllwNVBOTzhUUDVkV2NxQVVaeitqVXpCUk1CMEdBMVVkRGdRV0JCU2xmOXUzaXJSRgpzcHJ1N1VRcUJFM0FWQkRSaURBZkJnTlZIU01FR0RBV2dCU2xmOXUzaXJSRnNwcnU3VVFxQkUzQVZCRFJpREFQCkJnTlZIUk1CQWY4RUJUQURBUUgvTUFvR0NDcUdTTTQ5QkFNQ0Ewa0FNRVlDSVFEYVgzRHI1V1lWdUZRSWtMelIKbjNvWDQrOUZaZWhZYkFjalhOV05vTHpwcmdJaEFNY21MeXpsS1Q0RUpmUURqRXJEOEpXSDkrSXlzemN4S1hiOQowQjk0V0JZVQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==';

const BASE = 'region: eu-central-1\ncluster:\n  name: example\n';

const VPC = `vpc:
  subnetIds: [subnet-0123456789abcdef0, subnet-0fedcba9876543210]
  securityGroupIds: [sg-0123456789abcdef0]
`;

const GIVEN_ENDPOINT = `${BASE}  endpoint: https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com
  certificateAuthority: ${CERTIFICATE}
`;

/** Text of a stage file by the stage's name. */
export const VARIANTS: Readonly<Record<string, string>> = {
  smallest: BASE,
  'in-vpc': `${BASE}${VPC}`,
  'endpoint-given': `${GIVEN_ENDPOINT}${VPC}`,
  'pod-identity': `${BASE}bridge: { host: container }\n`,
  irsa: `${BASE}bridge:
  host: container
  identity: irsa
  oidcProviderArn: arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF
`,
  'customer-key': `${BASE}${VPC}queues:
  encryption: customer-key
  operatorRoleArn: arn:aws:iam::123456789012:role/storage-operator
audit: { bus: storage }
`,
  'without-tracing': `${BASE}tracing: false\n`,
  everything: `${GIVEN_ENDPOINT}${VPC}mode: enforce
modeMax: enforce
graceSeconds: 30
besideAnotherController: true
queues:
  volumes: pv-volumes.fifo
  claims: pv-claims.fifo
  encryption: customer-key
  operatorRoleArn: arn:aws:iam::123456789012:role/storage-operator
workers: { memoryMb: 1024, timeoutSeconds: 20, maximumConcurrency: 50 }
bridge: { host: container }
recycling: { enabled: true, namespace: scrubbers }
monitoring: { email: storage-team@example.com, oldestMessageMinutes: 5, stuckMinutes: 30, detail: true }
audit: { bus: 'arn:aws:events:eu-central-1:210987654321:event-bus/storage' }
logs: { level: DEBUG, retentionDays: 90 }
tags: { team: storage }
settings: { PV_POOL_MAX_AGE_MS: 1000 }
`,
};
