import { rm } from 'node:fs/promises';
import { type ApiClient, apiClient } from './api-client.ts';
import { type ApiServerPlan, apiServerCaFile, apiServerUrl, drainMilliseconds, startApiServer } from './api-server.ts';
import { type ControllerManagerOptions, startControllerManager } from './controller-manager.ts';
import { admin, kubeconfigFile, type Tokens } from './identities.ts';
import type { ControllerPlace, ManagedProcess } from './managed-process.ts';
import { type Provisioner, type ProvisionerOptions, startProvisioner } from './provisioner.ts';

/** What `startControlPlane` has made before there is a control plane. */
export interface ControlPlaneParts {
  readonly plan: ApiServerPlan;
  readonly etcd: ManagedProcess;
  readonly apiServer: ManagedProcess;
  readonly tokens: Tokens;
  /** The API server's certificate, which is its own CA bundle. */
  readonly ca: string;
  /** Feature gates and emulated version, for the controller managers. */
  readonly versionArgs: readonly string[];
}

/** A real etcd and API server of our own on 127.0.0.1, to which controllers can be added. */
export class ControlPlane {
  readonly url: string;
  readonly caFile: string;
  /** Logs, certificates and data; removed by `stop` unless `CONTROL_PLANE_KEEP` is set. */
  readonly directory: string;
  readonly etcd: ManagedProcess;
  readonly #parts: ControlPlaneParts;
  #apiServer: ManagedProcess;
  #isServing = true;
  readonly #clients = new Map<string, ApiClient>();
  /** Controller managers and provisioners, the ended ones too. */
  readonly #controllers: ManagedProcess[] = [];
  #controllersStarted = 0;

  constructor(parts: ControlPlaneParts) {
    this.url = apiServerUrl(parts.plan);
    this.caFile = apiServerCaFile(parts.plan.directory);
    this.directory = parts.plan.directory;
    this.etcd = parts.etcd;
    this.#parts = parts;
    this.#apiServer = parts.apiServer;
  }

  /** The API server of the moment: after a restart it is another process. */
  get apiServer(): ManagedProcess {
    return this.#apiServer;
  }

  /** False from the beginning to the end of an outage. A server that starts knows no roles yet, and forbids everything. */
  get isServing(): boolean {
    return this.#isServing;
  }

  /** Where the store is reached, past the API server. */
  get etcdUrl(): string {
    return this.#parts.plan.etcdUrl;
  }

  /** The bearer token of an identity. */
  token(identity: string = admin): string {
    const token = this.#parts.tokens.get(identity);
    if (token === undefined) throw new Error(`no identity is called ${identity}: declare it in the option auth`);
    return token;
  }

  /** Path of an identity's kubeconfig file. */
  kubeconfig(identity: string = admin): string {
    this.token(identity);
    return kubeconfigFile(this.directory, identity);
  }

  /** A plain client for an identity; `stop` closes it. */
  client(identity: string = admin): ApiClient {
    const client = this.#clients.get(identity) ?? apiClient(this.url, this.#parts.ca, this.token(identity));
    this.#clients.set(identity, client);
    return client;
  }

  /** Adds a controller manager; there may be several. */
  async startControllerManager(options: ControllerManagerOptions): Promise<ManagedProcess> {
    const place = this.#place('kube-controller-manager', options.identity);
    const manager = await startControllerManager({ ...place, versionArgs: this.#parts.versionArgs }, options);
    this.#controllers.push(manager);
    return manager;
  }

  /** Adds an external provisioner; there may be several, and one can take over the directory of an ended one. */
  async startProvisioner(options: ProvisionerOptions): Promise<Provisioner> {
    const provisioner = await startProvisioner(this.#place('provisioner', options.identity), options);
    this.#controllers.push(provisioner.process);
    return provisioner;
  }

  /** Takes the API server away and leaves the store: an outage, until `startApiServer`. With 0 it drains nothing. */
  async stopApiServer(graceMilliseconds = drainMilliseconds): Promise<void> {
    this.#isServing = false;
    await this.#apiServer.stop(graceMilliseconds);
  }

  /** Brings the API server back on the same port, with the same store, certificate and tokens. */
  async startApiServer(): Promise<void> {
    if (this.#apiServer.isRunning) throw new Error('the API server is running already');
    this.#apiServer = await startApiServer(this.#parts.plan);
    this.#isServing = true;
  }

  /** A short outage: `stopApiServer`, then `startApiServer`. */
  async restartApiServer(): Promise<void> {
    await this.stopApiServer();
    await this.startApiServer();
  }

  /** Ends everything that was started here and waits until it is gone. May be called twice. */
  async stop(): Promise<void> {
    for (const client of this.#clients.values()) client.close();
    await Promise.all(this.#controllers.map((controller) => controller.stop()));
    // The API server drains its requests, and some of those need the store: etcd goes last.
    await this.stopApiServer();
    await this.etcd.stop();
    if (!process.env.CONTROL_PLANE_KEEP) await rm(this.directory, { recursive: true, force: true });
  }

  #place(program: string, identity?: string): ControllerPlace {
    this.#controllersStarted += 1;
    return {
      binary: this.#parts.plan.binary,
      directory: this.directory,
      kubeconfig: this.kubeconfig(identity),
      name: `${program}-${this.#controllersStarted}`,
    };
  }
}
