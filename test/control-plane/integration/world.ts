/** Where a scenario happens: its namespace on a control plane, watches of what happens there, and the usual waits. */
import type { ApiClient, ControlPlane } from '../harness.ts';
import { classesPath, create, eventually, volumesPath } from '../objects.ts';
import { Watch, type WatchEvent } from '../watching.ts';
import type { Claim, Volume } from './objects.ts';

export class World {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly claimsPath: string;
  readonly volumes: Watch<Volume>;
  readonly claims: Watch<Claim>;

  private constructor(client: ApiClient, namespace: string, volumes: Watch<Volume>, claims: Watch<Claim>) {
    this.client = client;
    this.namespace = namespace;
    this.claimsPath = claimsPathOf(namespace);
    this.volumes = volumes;
    this.claims = claims;
  }

  /** Makes the namespace and opens the watches: nothing of what follows is missed. */
  static async open(plane: ControlPlane, namespace: string): Promise<World> {
    const client = plane.client();
    await client.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const [volumes, claims] = await Promise.all([
      Watch.start<Volume>(plane, volumesPath),
      Watch.start<Claim>(plane, claimsPathOf(namespace)),
    ]);
    return new World(client, namespace, volumes, claims);
  }

  async createVolume(object: object): Promise<Volume> {
    return (await create(this.client, volumesPath, object)) as unknown as Volume;
  }

  async createClaim(object: object): Promise<Claim> {
    return (await create(this.client, this.claimsPath, object)) as unknown as Claim;
  }

  async createClass(object: object): Promise<void> {
    await create(this.client, classesPath, object);
  }

  async volume(name: string): Promise<Volume> {
    return (await this.client.request<Volume>('GET', `${volumesPath}/${name}`)).body;
  }

  async claim(name: string): Promise<Claim> {
    return (await this.client.request<Claim>('GET', `${this.claimsPath}/${name}`)).body;
  }

  async listVolumes(): Promise<readonly Volume[]> {
    return (await this.client.request<{ items: Volume[] }>('GET', volumesPath)).body.items;
  }

  async listClaims(): Promise<readonly Claim[]> {
    return (await this.client.request<{ items: Claim[] }>('GET', this.claimsPath)).body.items;
  }

  async deleteClaim(name: string): Promise<void> {
    await this.client.request('DELETE', `${this.claimsPath}/${name}`);
  }

  /** Waits for events of this phase, of as many volumes as that; gives the last volume. */
  async untilVolumes(phase: string, count = 1): Promise<Volume> {
    return await this.volumes.until(`${count} volumes ${phase}`, (events) => nthOf(events, phase, count));
  }

  async untilClaims(phase: string, count = 1): Promise<Claim> {
    return await this.claims.until(`${count} claims ${phase}`, (events) => nthOf(events, phase, count));
  }

  /** Waits until a volume has passed these phases in this order, others in between or not. */
  async untilPassed(volume: string, ...phases: readonly string[]): Promise<void> {
    await this.volumes.until(`${volume} ${phases.join(', then ')}`, (events) => {
      const left = [...phases];
      for (const { object } of events) {
        if (object.metadata.name === volume && object.status.phase === left[0]) left.shift();
      }
      return left.length === 0;
    });
  }

  /** When the last thing happened to a volume or a claim, by `performance.now()`. */
  get lastEventAt(): number {
    return Math.max(this.volumes.lastEventAt, this.claims.lastEventAt);
  }

  /** Deletes all that is left, finalizers or not. */
  async close(): Promise<void> {
    const { client } = this;
    await client.request('DELETE', this.claimsPath);
    await client.request('DELETE', classesPath);
    await client.request('DELETE', volumesPath);
    await eventually('no claims and no volumes', async () => {
      const [claims, volumes] = await Promise.all([this.listClaims(), this.listVolumes()]);
      const paths = [
        ...claims.map(({ metadata }) => `${this.claimsPath}/${metadata.name}`),
        ...volumes.map(({ metadata }) => `${volumesPath}/${metadata.name}`),
      ];
      await Promise.all(paths.map((path) => client.request('PATCH', path, { metadata: { finalizers: null } })));
      await Promise.all(paths.map((path) => client.request('DELETE', path)));
      return paths.length === 0;
    });
    await Promise.all([this.volumes.stop(), this.claims.stop()]);
  }
}

function claimsPathOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
}

function nthOf<T extends Volume | Claim>(
  events: readonly WatchEvent<T>[],
  phase: string,
  count: number,
): T | undefined {
  const names = new Set<string>();
  for (const { type, object } of events) {
    if (type === 'DELETED' || object.status.phase !== phase) continue;
    names.add(object.metadata.name);
    if (names.size === count) return object;
  }
  return undefined;
}
