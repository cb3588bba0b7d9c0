/** Cuts a byte stream into lines, wherever the network has cut it. */
import { AmbiguousError } from '../controller/errors.ts';

const NEWLINE = 0x0a;

/**
 * The lines of a stream, without their ends; empty ones are left out. It pulls: no more than one chunk is read ahead.
 * A multi-byte character that two chunks share comes out whole, since only complete lines are decoded.
 * @param limit bytes of the longest line.
 * @throws AmbiguousError for a longer line, or when the stream ends in the middle of one.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  const hold = (piece: Buffer): void => {
    length += piece.length;
    if (length > limit) throw new AmbiguousError(`a line of the stream is longer than ${limit} bytes`);
    if (piece.length > 0) pieces.push(piece);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end));
      start = end + 1;
      const line = (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length)).toString('utf8');
      pieces = [];
      length = 0;
      if (line.trim() !== '') yield line;
    }
    hold(chunk.subarray(start));
  }
  if (length > 0) throw new AmbiguousError('the stream ended in the middle of a line');
}
