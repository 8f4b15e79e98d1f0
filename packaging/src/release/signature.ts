/** Signatures of files by OpenSSH, which every system has. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** ssh-keygen(1): what a signature is for. */
export const SIGNATURE_NAMESPACE = 'tinkerbell-release';

/** Writes the signature beside the file, with the suffix `.sig`. It may ask for the passphrase of the key. */
export function sign(key: string, path: string): void {
  rmSync(`${path}.sig`, { force: true });
  const words = ['-q', '-Y', 'sign', '-f', key, '-n', SIGNATURE_NAMESPACE, path];
  execFileSync('ssh-keygen', words, { stdio: ['inherit', 'inherit', 'inherit'] });
}
