/**
 * What the Lambda bundles do without: parts of the SDK that these functions cannot reach (docs/decisions/017-bundles.md).
 * Each is replaced by functions that throw, so that a wrong belief fails loudly; one that is no longer met fails the build.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

interface LeftOut {
  /** The end of the module's path. */
  readonly path: string;
  /** What others import of it. */
  readonly exports: readonly string[];
  /** Why no function gets there. */
  readonly why: string;
}

const LEFT_OUT: readonly LeftOut[] = [
  {
    path: '@aws-sdk/credential-provider-node/dist-es/index.js',
    exports: ['defaultProvider'],
    why: 'credentials are given explicitly: Lambda hands them over as variables',
  },
  {
    path: '@aws-sdk/client-sqs/dist-es/endpoint/endpointResolver.js',
    exports: ['defaultEndpointResolver'],
    why: 'the endpoint is given explicitly',
  },
  {
    path: '@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js',
    exports: ['partitionsInfo'],
    why: 'the endpoint is given explicitly',
  },
  {
    path: '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js',
    exports: ['getInstanceMetadataRegion'],
    why: 'the region is given explicitly, and Lambda has no instance metadata',
  },
  {
    path: '@smithy/core/dist-es/submodules/event-streams/index.js',
    exports: ['EventStreamSerde'],
    why: 'SQS has no event streams',
  },
  ...['md5/Md5Js', 'sha256/Sha256Js', 'crc32/Crc32Js'].map((path) => ({
    path: `@smithy/core/dist-es/submodules/checksum/${path}.js`,
    exports: [path.slice(path.indexOf('/') + 1)],
    why: 'Node has these hashes of its own',
  })),
  {
    path: '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js',
    exports: ['AdaptiveRetryStrategy'],
    why: 'the retry mode is given explicitly: standard',
  },
];

/** Swaps the modules above for ones that throw. @throws Error at the end of the build that names those it did not meet. */
export function leaveOut(modules = LEFT_OUT): Plugin {
  return {
    name: 'leave-out',
    setup(build) {
      const missed = new Set(modules);
      for (const module of modules) {
        const filter = new RegExp(`${module.path.replaceAll('/', '[/\\\\]').replaceAll('.', '\\.')}$`);
        build.onLoad({ filter }, () => {
          missed.delete(module);
          return { contents: module.exports.map((name) => stub(name, module.why)).join('\n') };
        });
      }
      build.onEnd(() => {
        const errors = [...missed].map(({ path }) => ({ text: `left-out.ts: no module ${path} any more` }));
        return errors.length > 0 ? { errors } : {};
      });
    },
  };
}

/** An SDK client reads its version from its own package.json, all of which would come along. */
export const versionsOnly: Plugin = {
  name: 'versions-only',
  setup(build) {
    build.onLoad({ filter: /node_modules[/\\]@aws-sdk[/\\]client-[a-z0-9-]+[/\\]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

function stub(name: string, why: string): string {
  return `export function ${name}() { throw new Error(${JSON.stringify(`${name} is left out of this bundle: ${why}`)}); }`;
}
