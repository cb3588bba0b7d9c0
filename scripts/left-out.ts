/**
 * What the Lambda bundles do without: parts of the SDK that these functions cannot reach (docs/decisions/017-bundles.md).
 * Each is replaced by functions that throw, so that a wrong belief fails loudly; one that is no longer met fails the build.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import ts from 'typescript';

interface LeftOut {
  /** The end of the module's path. */
  readonly path: string;
  /** What others import of it. */
  readonly exports: readonly string[];
  /** Of these somebody makes one, and never uses it. */
  readonly classes?: readonly string[];
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
  {
    path: '@smithy/signature-v4/dist-es/HeaderFormatter.js',
    exports: ['Int64'],
    classes: ['HeaderFormatter'],
    why: 'it signs event streams, and SQS has none',
  },
  ...['md5/Md5Js', 'sha256/Sha256Js', 'crc32/Crc32Js'].map((path) => ({
    path: `@smithy/core/dist-es/submodules/checksum/${path}.js`,
    exports: [path.slice(path.indexOf('/') + 1)],
    why: 'Node has these hashes of its own',
  })),
  {
    path: '@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/service-customizations/s3.js',
    exports: [
      'DOT_PATTERN',
      'S3_HOSTNAME_PATTERN',
      'isArnBucketName',
      'isDnsCompatibleBucketName',
      'resolveParamsForS3',
    ],
    why: 'SQS is not S3',
  },
  {
    path: '@smithy/core/dist-es/submodules/serde/date-utils.js',
    exports: [
      'dateToUtcString',
      'parseRfc3339DateTime',
      'parseRfc3339DateTimeWithOffset',
      'parseRfc7231DateTime',
      'parseEpochTimestamp',
    ],
    why: 'SQS has no timestamps; a Retry-After that is a date is passed over',
  },
  {
    path: '@smithy/core/dist-es/submodules/protocols/json/jsonReviver.js',
    exports: ['jsonReviver'],
    why: 'SQS has no numbers beyond those of JSON, and no documents',
  },
  {
    path: '@smithy/core/dist-es/submodules/protocols/UnionSerde.js',
    exports: ['UnionSerde'],
    why: 'SQS has no unions',
  },
  {
    path: '@smithy/core/dist-es/submodules/config/shared-ini-file-loader/parseIni.js',
    exports: ['parseIni'],
    why: 'Lambda has no configuration files of AWS',
  },
  {
    path: '@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/adaptors/getEndpointFromConfig.js',
    exports: ['getEndpointFromConfig'],
    why: 'the endpoint is given explicitly',
  },
  {
    path: '@aws-lambda-powertools/logger/lib/esm/logBuffer.js',
    exports: ['CircularMap', 'SizedItem', 'SizedSet'],
    why: 'no log line is buffered',
  },
  {
    path: '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js',
    exports: ['AdaptiveRetryStrategy'],
    why: 'the retry mode is given explicitly: standard',
  },
];

/** The same for the two workers. */
const LEFT_OUT_OF_WORKERS: readonly LeftOut[] = [
  ...LEFT_OUT,
  {
    path: 'lib/controller/provision-in-tree.ts',
    exports: ['provisionInTree'],
    why: 'a Lambda has no disk, and no plugin of its own makes volumes',
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
          const idle = (module.classes ?? []).map((name) => `export class ${name} {}`);
          return { contents: [...module.exports.map((name) => stub(name, module.why)), ...idle].join('\n') };
        });
      }
      build.onEnd(() => {
        const errors = [...missed].map(({ path }) => ({ text: `left-out.ts: no module ${path} any more` }));
        return errors.length > 0 ? { errors } : {};
      });
    },
  };
}

/** What the workers' bundles do without. */
export const leaveOutOfWorker = (): Plugin => leaveOut(LEFT_OUT_OF_WORKERS);

/** A sentence: what settings and metrics mean is for the pages made of them, and no function reads it. */
const SENTENCE = /\s.*\.$/s;

/** Empties the sentences in the two schemas. @throws Error at the end of the build when there were none. */
export const withoutMeanings: Plugin = {
  name: 'without-meanings',
  setup(build) {
    let count = 0;
    build.onLoad({ filter: /[/\\]lib[/\\](settings|observability[/\\]catalogue)\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const sentences = stringsOf(text).filter(([start, end]) => SENTENCE.test(text.slice(start + 1, end - 1)));
      count += sentences.length;
      const contents = sentences.reduceRight((rest, [from, to]) => `${rest.slice(0, from)}''${rest.slice(to)}`, text);
      return { contents, loader: 'ts' };
    });
    build.onEnd(() => (count > 0 ? {} : { errors: [{ text: 'left-out.ts: no sentence in settings or catalogue' }] }));
  },
};

/** Where the string literals of a source are, in order. */
function stringsOf(text: string): (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) found.push([node.getStart(), node.getEnd()]);
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return found;
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
