import { join } from 'node:path';

import type { BenchContext } from './benchmark.ts';
import { mustRun, needProgram } from './running-program.ts';

export interface CertificatePair {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Creates a self-signed certificate for localhost, ECDSA P-256. */
export async function makeCertificate(context: BenchContext): Promise<CertificatePair> {
  const openssl = needProgram('openssl', 'openssl');
  const certFile = join(context.directory, 'localhost.pem');
  const keyFile = join(context.directory, 'localhost.key');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
  await mustRun(context, { command: [openssl, 'req', '-x509', ...key, ...name, '-out', certFile] });
  return { certFile, keyFile };
}
