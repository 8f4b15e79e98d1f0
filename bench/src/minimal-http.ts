/** The floor of HTTP answers: a server on Node that does no work of its own. */
import { fileURLToPath } from 'node:url';

import type { BenchContext } from './benchmark.ts';
import type { Subject } from './http-rows.ts';
import { requestText } from './http-load.ts';
import { startPrinting } from './running-program.ts';

const PROGRAM = fileURLToPath(new URL('minimal-http-program.ts', import.meta.url));

export const MINIMAL_HTTP = 'node:http, the same text for all';

/** Answers every request with `bytes` bytes. `prefix` is that of the server that it is compared with. */
export async function startMinimalHttp(
  context: BenchContext,
  bytes: number,
  prefix: readonly string[] = [],
): Promise<Subject> {
  const words = [process.execPath, '--max-semi-space-size=8', PROGRAM, String(bytes)];
  const { url, pid } = await startPrinting(context, ['env', ...prefix, ...words]);
  return { url, pid, requests: [requestText({ host: new URL(url).host, path: '/' })] };
}
