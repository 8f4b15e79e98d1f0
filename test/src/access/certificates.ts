/** Creates an authority with a certificate for 127.0.0.1 and one for a user, with openssl. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes `NAME.crt` and `NAME.key` of `ca`, `server`, `user` and of `stranger`, whom no authority has signed.
 */
export function makeCertificates(folder: string): (name: string) => string {
  const at = (name: string): string => join(folder, name);
  const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const own = (name: string, subject: string): void =>
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.crt`),
      '-subj',
      subject,
    );
  own('ca', '/CN=test authority');
  own('stranger', '/O=lookers/CN=mallory');
  writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1');
  for (const [name, subject] of [
    ['server', '/CN=127.0.0.1'],
    ['user', '/O=lookers/CN=ann'],
  ] as const) {
    openssl('req', ...key, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', subject);
    const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('names')];
    openssl('x509', '-req', '-in', at(`${name}.csr`), '-out', at(`${name}.crt`), ...signed);
  }
  return at;
}
