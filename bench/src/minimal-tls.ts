/** The floor of files over TLS: a server on Node that only reads, encrypts and sends. */
import { fileURLToPath } from 'node:url';

import type { BenchContext } from './benchmark.ts';
import { makeCertificate } from './certificate.ts';
import { startPrinting } from './running-program.ts';

const PROGRAM = fileURLToPath(new URL('minimal-tls-program.ts', import.meta.url));

export const MINIMAL_TLS = 'node:tls that sends one file';

export async function startMinimalTls(
  context: BenchContext,
  file: string,
): Promise<{ readonly url: string; readonly pid: number }> {
  const { certFile, keyFile } = await makeCertificate(context);
  return await startPrinting(context, [process.execPath, PROGRAM, certFile, keyFile, file]);
}
