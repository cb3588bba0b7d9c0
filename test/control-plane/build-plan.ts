/** What is built, from what, and where it goes. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Go module of the binary. */
export const serverDirectory = fileURLToPath(new URL('./server', import.meta.url));

/** The arguments of `go` that build the binary as `output`. */
export async function buildArguments(output: string): Promise<string[]> {
  // Without a version kubectl refuses to talk to the API server.
  const version = await kubernetesVersion();
  const linkerFlags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
  return ['build', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags, '-o', output, '.'];
}

/** Where the binary of the present sources belongs: other sources, another name. */
export async function binaryPath(): Promise<string> {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch} ${(await buildArguments('')).join(' ')}\0`);
  for (const name of (await readdir(serverDirectory)).sort()) {
    if (!/\.go$|^go\.(mod|sum)$/.test(name) || name.endsWith('_test.go')) continue;
    hash.update(`${name}\0`).update(await readFile(join(serverDirectory, name)));
  }
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'serverless-pv-controller', `control-plane-${hash.digest('hex').slice(0, 16)}`);
}

/** The version of Kubernetes that go.mod asks for, for example `v1.36.3`. */
async function kubernetesVersion(): Promise<string> {
  const goMod = await readFile(join(serverDirectory, 'go.mod'), 'utf8');
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error('go.mod does not require k8s.io/kubernetes');
  return version;
}
