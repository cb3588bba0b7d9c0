/** Everything that this process prints, line by line: log lines and the metrics among them. */
import { StringDecoder } from 'node:string_decoder';

/** What is written to, usually `process.stdout`. */
type Output = Pick<NodeJS.WriteStream, 'write'>;

/** Lines that are being followed. */
export interface PrintedLines {
  /** Prints a line that is not told to the follower. */
  print(line: string): void;
  /** Leaves the streams as they were. */
  stop(): void;
}

/**
 * Calls `onLine` for each whole line that is written to one of the streams; it is printed all the same.
 * @param onLine must neither throw nor print.
 */
export function followLines(streams: readonly [Output, ...Output[]], onLine: (line: string) => void): PrintedLines {
  const [first] = streams;
  const print = first.write.bind(first);
  const stops = streams.map((stream) => follow(stream, onLine));
  return {
    print: (line) => void print(`${line}\n`),
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

function follow(stream: Output, onLine: (line: string) => void): () => void {
  const { write } = stream;
  const decoder = new StringDecoder();
  let rest = '';
  const feed = (chunk: string | Uint8Array) => {
    rest += typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
  stream.write = ((chunk: string | Uint8Array, ...more: []) => {
    feed(chunk);
    return write.call(stream, chunk, ...more);
  }) as Output['write'];
  return () => {
    stream.write = write;
  };
}
