/** Stands in for the X-Ray daemon: takes the datagrams of traced functions and writes them to a file. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';

export interface XRay {
  /** `127.0.0.1:<port>`, for AWS_XRAY_DAEMON_ADDRESS. */
  readonly address: string;
  close(): Promise<void>;
}

/** @param log a file that gets a line for each datagram. */
export async function startXRay(log: string): Promise<XRay> {
  const socket = createSocket('udp4');
  socket.on('message', (datagram) => appendFileSync(log, `${datagram.toString('utf8').replaceAll('\n', ' ')}\n`));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}
