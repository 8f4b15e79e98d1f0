/** An authority of its own, and a certificate for the address of a server. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface ServerCertificate {
  readonly flags: readonly string[];
  readonly authorityPath: string;
  /** The DER of the authority. */
  authority(): Promise<Uint8Array>;
}

export async function certificateFor(address: string, directory: string): Promise<ServerCertificate> {
  const file = (name: string): string => join(directory, name);
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const openssl = (...args: readonly string[]) => run('openssl', args);
  const subject = ['-subj', '/CN=lab authority'];
  await openssl('req', '-x509', ...key, ...subject, '-keyout', file('ca.key'), '-out', file('ca.pem'));
  const name = ['-subj', `/CN=${address}`, '-addext', `subjectAltName=IP:${address}`];
  const extension = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  const issuer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), ...extension];
  const output = ['-keyout', file('server.key'), '-out', file('server.pem')];
  await openssl('req', '-x509', ...key, ...name, ...issuer, ...output);
  return {
    flags: [`--tls-cert-file=${file('server.pem')}`, `--tls-key-file=${file('server.key')}`],
    authorityPath: file('ca.pem'),
    async authority() {
      await openssl('x509', '-in', file('ca.pem'), '-outform', 'DER', '-out', file('ca.der'));
      return readFile(file('ca.der'));
    },
  };
}
