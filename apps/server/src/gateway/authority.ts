/**
 * A private certificate authority for sites without one: `ca.pem` and `ca.key` in a folder, and the certificates that it signed. Each
 * exists with an ECDSA key and with an RSA key. OVMF of 2022, as in Debian 12, boots over HTTPS with RSA only, including the
 * signature of the authority.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { nodeClock } from '@tinkerbell/platform-node';
import { certify, ecdsaKey, rsaKey } from '@tinkerbell/platform-x509';
import { certificateFiles, type CertificatePair } from './settings.ts';
import { writePrivateFile } from '../private-file.ts';

const AUTHORITY_DAYS = 3650;
/** Browsers and Apple's systems accept at most 398 days. */
const CERTIFICATE_DAYS = 397;
const RENEWED_DAYS_BEFORE = 30;
const DAY_MS = 86_400_000;
/** Lifetimes of the authority and of certificates. */
const RSA_BITS = { authority: 3072, certificate: 2048 } as const;

/** Creates the authority if it does not exist. Returns its certificate as PEM. */
export function initAuthority(directory: string): string {
  const [certFile, keyFile] = [join(directory, 'ca.pem'), join(directory, 'ca.key')];
  if (!existsSync(certFile)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const key = rsaKey(RSA_BITS.authority);
    writePrivateFile(keyFile, key);
    writePrivateFile(certFile, certified({ key, names: [], days: AUTHORITY_DAYS }));
  }
  return readFileSync(certFile, 'utf8');
}

/** Signs certificates for host names and addresses. Returns their files, which are named after the first name. */
export function issueCertificate(directory: string, names: readonly string[]): readonly CertificatePair[] {
  const authority = {
    certificate: initAuthority(directory),
    key: readFileSync(join(directory, 'ca.key'), 'utf8'),
  };
  const [first = ''] = names;
  if (!names.every((name) => /^[A-Za-z0-9*._:-]+$/.test(name)) || first === '')
    throw new Error(`must be host names or addresses, not ${names.join(' ')}`);
  const pairs = certificateFiles(directory, first.replaceAll('*', '_'));
  for (const { certFile, keyFile, isRsa } of pairs) {
    const key = isRsa ? rsaKey(RSA_BITS.certificate) : ecdsaKey('P-384');
    writePrivateFile(keyFile, key);
    writePrivateFile(certFile, certified({ key, names, days: CERTIFICATE_DAYS, authority }));
  }
  return pairs;
}

/** Signs the certificates if they are missing, lack a name or expire soon. Returns true if it did. */
export function ensureCertificate(directory: string, names: readonly string[], nowMs: number): boolean {
  const pairs = certificateFiles(directory, names[0] ?? '');
  if (pairs.every(({ certFile, keyFile }) => existsSync(keyFile) && isGood(certFile, names, nowMs)))
    return false;
  issueCertificate(directory, names);
  return true;
}

function isGood(certFile: string, names: readonly string[], nowMs: number): boolean {
  if (!existsSync(certFile)) return false;
  const certificate = new X509Certificate(readFileSync(certFile));
  const daysLeft = (certificate.validToDate.getTime() - nowMs) / DAY_MS;
  return daysLeft > RENEWED_DAYS_BEFORE && names.every((name) => certificate.checkHost(name) !== undefined);
}

interface Wanted {
  readonly key: string;
  readonly names: readonly string[];
  readonly days: number;
  readonly authority?: { readonly certificate: string; readonly key: string };
}

function certified({ key, names, days, authority }: Wanted): string {
  const request = {
    commonName: authority === undefined ? 'Tinkerbell gateway' : (names[0] ?? ''),
    dnsNames: names.filter((name) => isIP(name) === 0),
    ips: names.filter((name) => isIP(name) !== 0),
    daysValid: days,
    isAuthority: authority === undefined,
    key,
    ...(authority === undefined ? {} : { authority }),
  };
  const made = certify(request, nodeClock.nowMs());
  if (!made.ok) throw new Error(made.error);
  return made.certificate;
}
