/** An authority of our own, for sites without one: `ca.pem` and `ca.key` in a folder, and the certificates that it has signed. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { templatePlatform } from '@tinkerbell/platform-template';
import { certificateFiles } from './gateway-settings.ts';

const AUTHORITY_DAYS = 3650;
/** What browsers and Apple's systems take at most is 398. */
const CERTIFICATE_DAYS = 397;
const RENEWED_DAYS_BEFORE = 30;
const DAY_MS = 86_400_000;

/** Makes the authority unless it is there. Returns its certificate as PEM. */
export function initAuthority(directory: string): string {
  const [certFile, keyFile] = [join(directory, 'ca.pem'), join(directory, 'ca.key')];
  if (!existsSync(certFile)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const key = newKey();
    put(keyFile, key);
    put(certFile, certified({ key, names: [], days: AUTHORITY_DAYS }));
  }
  return readFileSync(certFile, 'utf8');
}

/** Signs a certificate for host names and addresses. Returns where it is: by the first name. */
export function issueCertificate(
  directory: string,
  names: readonly string[],
): ReturnType<typeof certificateFiles> {
  const authority = {
    certificate: initAuthority(directory),
    key: readFileSync(join(directory, 'ca.key'), 'utf8'),
  };
  const [first = ''] = names;
  if (!names.every((name) => /^[A-Za-z0-9*._:-]+$/.test(name)) || first === '')
    throw new Error(`names are host names and addresses, not ${names.join(' ')}`);
  const files = certificateFiles(directory, first.replaceAll('*', '_'));
  const key = newKey();
  put(files.keyFile, key);
  put(files.certFile, certified({ key, names, days: CERTIFICATE_DAYS, authority }));
  return files;
}

/** Signs one unless there is one that holds all names and is good for a while. */
export function ensureCertificate(directory: string, names: readonly string[], nowMs: number): void {
  const { certFile } = certificateFiles(directory, names[0] ?? '');
  if (existsSync(certFile)) {
    const certificate = new X509Certificate(readFileSync(certFile));
    const daysLeft = (certificate.validToDate.getTime() - nowMs) / DAY_MS;
    if (daysLeft > RENEWED_DAYS_BEFORE && names.every((name) => certificate.checkHost(name) !== undefined))
      return;
  }
  issueCertificate(directory, names);
}

interface Wanted {
  readonly key: string;
  readonly names: readonly string[];
  readonly days: number;
  readonly authority?: { readonly certificate: string; readonly key: string };
}

function certified({ key, names, days, authority }: Wanted): string {
  const made = templatePlatform.certify({
    commonName: authority === undefined ? 'Tinkerbell gateway' : (names[0] ?? ''),
    dnsNames: names.filter((name) => isIP(name) === 0),
    ips: names.filter((name) => isIP(name) !== 0),
    daysValid: days,
    isAuthority: authority === undefined,
    key,
    ...(authority === undefined ? {} : { authority }),
  });
  if (!made.ok) throw new Error(made.error);
  return made.certificate;
}

/** ECDSA P-384. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return privateKey.export({ type: 'sec1', format: 'pem' });
}

/** Whole or not at all; readable by its owner alone. */
function put(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
