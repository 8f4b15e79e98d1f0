/**
 * The credentials of commands on this machine: a token that only the owner of the data folder can read, and a certificate that
 * proves the identity of the server. A source address proves neither, because a proxy or a forward on this machine has the same
 * address.
 */
import { hash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf, type Random } from '@tinkerbell/platform-contract';
import { certify, ecdsaKey } from '@tinkerbell/platform-x509';
import type { CertificateRequest } from '@tinkerbell/template';
import { SettingsError } from '../settings/settings-error.ts';
import { writePrivateFile } from '../private-file.ts';
import { kubeconfigText } from './kubeconfig.ts';

/** Prefix of every local token, which secret scanners can search for. */
export const LOCAL_TOKEN_PREFIX = 'tinkerbell-local-';
const TOKEN_BYTES = 32;
const TOKEN_SHAPE = /^tinkerbell-local-[A-Za-z0-9_-]{43}$/;

/** The kubeconfig next to it pins the certificate. Both are renewed at a start. */
const CERTIFICATE_DAYS = 3650;
const RENEWED_DAYS_BEFORE = 365;
const DAY_MS = 86_400_000;
const NAMES = { dnsNames: ['localhost'], ips: ['127.0.0.1', '::1'] };

export interface LocalCredential {
  /** The bearer token of this data folder. */
  readonly token: string;
  /** True for that token. Takes constant time. */
  readonly accepts: (token: string) => boolean;
  /** Certificate and key for the loopback port of the API, PEM. */
  readonly tls: { readonly certificate: string; readonly key: string };
  /** Writes `DATA_DIR/kubeconfig` for the ports in use and returns its path. */
  writeKubeconfig(ports: { readonly https: number; readonly http: number }): string;
}

/** Reads the token and the certificate of a data folder, and creates missing ones. @throws SettingsError naming the file. */
export function openLocalCredential(
  dataDirectory: string,
  { random, nowMs }: { readonly random: Random; readonly nowMs: number },
): LocalCredential {
  const folder = join(dataDirectory, 'local');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const token = tokenIn(join(folder, 'token'), random);
  const tls = certificateIn(folder, nowMs);
  const digest = digestOf(token);
  return {
    token,
    accepts: (shown) => timingSafeEqual(digestOf(shown), digest),
    tls,
    writeKubeconfig(ports) {
      const path = join(dataDirectory, 'kubeconfig');
      put(path, kubeconfigText({ ...ports, token, certificateAuthority: tls.authority }));
      return path;
    },
  };
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function tokenIn(path: string, random: Random): string {
  const kept = textOf(path)?.trim();
  if (kept === undefined) {
    const made = LOCAL_TOKEN_PREFIX + Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
    put(path, `${made}\n`);
    return made;
  }
  if (!TOKEN_SHAPE.test(kept))
    throw new SettingsError(
      `${path} contains no valid token; delete it, and restart the server to create a new one`,
    );
  chmodSync(path, 0o600);
  return kept;
}

interface Certificate {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

function certificateIn(folder: string, nowMs: number): Certificate {
  const paths = { certificate: 'cert.pem', key: 'cert.key', authority: 'ca.pem' } as const;
  const [certificate, key, authority] = [paths.certificate, paths.key, paths.authority].map((name) =>
    textOf(join(folder, name)),
  );
  if (certificate !== undefined && key !== undefined && authority !== undefined)
    if (isGood(certificate, authority, nowMs)) return { certificate, key, authority };
  const made = newCertificate(nowMs);
  put(join(folder, paths.certificate), made.certificate);
  put(join(folder, paths.key), made.key);
  put(join(folder, paths.authority), made.authority);
  return made;
}

function isGood(certificate: string, authority: string, nowMs: number): boolean {
  try {
    const parsed = new X509Certificate(certificate);
    const daysLeft = (parsed.validToDate.getTime() - nowMs) / DAY_MS;
    return daysLeft > RENEWED_DAYS_BEFORE && parsed.verify(new X509Certificate(authority).publicKey);
  } catch {
    return false;
  }
}

/** The authority's key is discarded immediately, so it never signs anything else. */
function newCertificate(nowMs: number): Certificate {
  const authorityKey = ecdsaKey('P-256');
  const common = { daysValid: CERTIFICATE_DAYS };
  const authority = certified(nowMs, {
    ...common,
    commonName: 'Tinkerbell on this machine',
    dnsNames: [],
    ips: [],
    isAuthority: true,
    key: authorityKey,
  });
  const key = ecdsaKey('P-256');
  const certificate = certified(nowMs, {
    ...common,
    ...NAMES,
    commonName: 'localhost',
    isAuthority: false,
    key,
    authority: { certificate: authority, key: authorityKey },
  });
  return { certificate, key, authority };
}

function certified(nowMs: number, request: CertificateRequest): string {
  const made = certify(request, nowMs);
  if (!made.ok) throw new Error(made.error);
  return made.certificate;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new SettingsError(`cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Writes atomically, readable only by the owner. Skips an unchanged file, because the disk may be full. */
function put(path: string, text: string): void {
  if (textOf(path) === text) return chmodSync(path, 0o600);
  try {
    writePrivateFile(path, text);
  } catch (cause) {
    const isFull = codeOf(cause) === 'ENOSPC';
    const why = isFull ? 'the disk is full; free some space' : messageOf(cause);
    throw new SettingsError(`cannot write ${path}: ${why}`, { cause });
  }
}
