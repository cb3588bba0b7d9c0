/** What is built, from what, and where it goes. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A Go module and the binary that is made of it. */
export interface Build {
  readonly directory: string;
  /** What the binary's name begins with. */
  readonly name: string;
}

/** All programs of the control plane. */
export const controlPlane: Build = { directory: folder('server'), name: 'control-plane' };

/** The controller manager alone, of an older minor version. */
export const olderManager: Build = { directory: folder('server-1.34'), name: 'older-manager' };

/** The arguments of `go` that build the binary as `output`. */
export async function buildArguments(build: Build, output: string): Promise<string[]> {
  // Without a version kubectl refuses to talk to the API server.
  const version = await kubernetesVersion(build);
  const linkerFlags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
  return ['build', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags, '-o', output, '.'];
}

/** Where the binary of the present sources belongs: other sources, another name. */
export async function binaryPath(build: Build): Promise<string> {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch} ${(await buildArguments(build, '')).join(' ')}\0`);
  for (const name of (await readdir(build.directory)).sort()) {
    if (!/\.go$|^go\.(mod|sum)$/.test(name) || name.endsWith('_test.go')) continue;
    hash.update(`${name}\0`).update(await readFile(join(build.directory, name)));
  }
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'serverless-pv-controller', `${build.name}-${hash.digest('hex').slice(0, 16)}`);
}

/** The version of Kubernetes that go.mod asks for, for example `v1.36.3`. */
export async function kubernetesVersion({ directory }: Build): Promise<string> {
  const goMod = await readFile(join(directory, 'go.mod'), 'utf8');
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error('go.mod does not require k8s.io/kubernetes');
  return version;
}

function folder(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
