/** HTTP as iPXE does it: a connection for each file, from the address of the machine. */
import { request as httpsRequest } from 'node:https';
import { nodeHttp } from '@tinkerbell/platform-node/node-http';

export interface GetOptions {
  readonly localAddress: string;
  readonly signal: AbortSignal;
  /** Reads only so many bytes, by a range. */
  readonly bytesMax?: number;
  /** False: the body is counted and not kept. */
  readonly isKept: boolean;
}

export interface Got {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
}

const SILENCE_MS_MAX = 30_000;
/** A script is some kilobytes. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** Rejects when the connection fails or breaks. */
export function get(url: string, { localAddress, signal, bytesMax, isKept }: GetOptions): Promise<Got> {
  return new Promise((resolve, reject) => {
    const start = url.startsWith('https:') ? httpsRequest : nodeHttp.request;
    const headers = bytesMax === undefined ? {} : { range: `bytes=0-${bytesMax - 1}` };
    // iPXE has the certificates that it was built with. Here only the load counts.
    const options = { localAddress, signal, headers, agent: false, rejectUnauthorized: false };
    const request = start(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (isKept && bytes <= KEPT_BYTES_MAX) chunks.push(chunk);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), bytes }),
      );
      response.on('error', reject);
    });
    request.setTimeout(SILENCE_MS_MAX, () => request.destroy(new Error('no answer')));
    request.on('error', reject);
    request.end();
  });
}
