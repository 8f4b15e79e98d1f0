/** A TFTP client that the tests of this package control. */
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decodeTftp, encodeTftp, type TftpPacket } from '@tinkerbell/tftp';
import type { Rack } from './rack.ts';

/** A client's socket that returns datagrams in order of arrival. */
export class TftpClient {
  readonly socket: Socket = createSocket('udp4');
  readonly #arrived: { packet: TftpPacket; port: number }[] = [];
  readonly #port: number;

  constructor(rack: Rack) {
    this.#port = rack.service.tftpPort() ?? 0;
    this.socket.on('message', (bytes, { port }) => {
      const decoded = decodeTftp(bytes);
      assert.ok(decoded.ok);
      this.#arrived.push({ packet: decoded.value, port });
      this.socket.emit('arrival');
    });
  }

  send(packet: TftpPacket | Uint8Array, port = this.#port): void {
    this.socket.send(packet instanceof Uint8Array ? packet : encodeTftp(packet), port, '127.0.0.1');
  }

  read(fileName: string, options: [string, string][] = [], mode = 'octet'): void {
    this.send({ kind: 'read-request', fileName, mode, options });
  }

  async next(): Promise<{ packet: TftpPacket; port: number }> {
    while (this.#arrived.length === 0) await once(this.socket, 'arrival');
    return this.#arrived.shift()!;
  }
}

/** Reads the whole file, block after block. */
export async function download(
  client: TftpClient,
  fileName: string,
  options: [string, string][] = [],
): Promise<Buffer> {
  client.read(fileName, options);
  const parts: Uint8Array[] = [];
  let blockSize = 512;
  for (;;) {
    const { packet, port } = await client.next();
    if (packet.kind === 'option-acknowledge') {
      blockSize = Number(packet.options.find(([name]) => name === 'blksize')?.[1] ?? 512);
      client.send({ kind: 'acknowledge', block: 0 }, port);
    } else {
      assert.ok(packet.kind === 'data', JSON.stringify(packet));
      parts.push(packet.bytes);
      client.send({ kind: 'acknowledge', block: packet.block }, port);
      if (packet.bytes.length < blockSize) return Buffer.concat(parts);
    }
  }
}
