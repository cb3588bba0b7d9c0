/** The stack as it is deployed: built and packaged anew, its zips unpacked, its functions as the template has them. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OSLS } from '../../infra/osls.ts';
import { buildAll } from '../../scripts/build.ts';
import type { PackagedFunction } from '../package/lambda/slot.ts';
import { functionsOf } from '../package/scene/deployment.ts';
import { type FunctionKey, functionKeys, unpack } from '../package/stack/functions.ts';
import { Template, type Values } from '../package/stack/template.ts';

/** A function, and what of it is uploaded. */
export interface UnpackedFunction {
  readonly key: FunctionKey;
  readonly packaged: PackagedFunction;
  /** The bundle, absolute. */
  readonly file: string;
  readonly bundleBytes: number;
  readonly zipBytes: number;
}

export interface PackagedStack {
  readonly functions: readonly UnpackedFunction[];
  /** A folder that lives as long as this. */
  readonly directory: string;
  remove(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');
/** With the stage of test/package: all that the functions can do is switched on. */
const STAGE = ['--stage', 'package', '--param=configDirectory=test/package/config'];

/**
 * Packages into a folder of its own. The bundles go through `dist/`, where `npm run build` puts the same bytes.
 * @param queues values of the references to queues that the functions' variables are made of.
 * @throws Error with what the packager said.
 */
export async function packageStack(queues: Values): Promise<PackagedStack> {
  const directory = await mkdtemp(join(tmpdir(), 'pv-cold-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await buildAll();
    const zips = join(directory, 'zips');
    await osls('package', ...STAGE, '--package', zips);
    const properties = functionsOf(await Template.read(zips), queues);
    const functions = functionKeys.map(async (key): Promise<UnpackedFunction> => {
      const zip = join(zips, `${key}.zip`);
      const packaged = await unpack(zip, properties[key], join(directory, key));
      const file = join(packaged.directory, packaged.handler.replace(/\.[^.]+$/, '.mjs'));
      const [bundle, zipped] = await Promise.all([stat(file), stat(zip)]);
      return { key, packaged, file, bundleBytes: bundle.size, zipBytes: zipped.size };
    });
    return { functions: await Promise.all(functions), directory, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @throws Error with its output. */
async function osls(...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [OSLS, ...args], { cwd: ROOT }).catch(({ stdout, stderr }) => {
    throw new Error(`the stack cannot be packaged:\n${stdout}${stderr}`);
  });
}
