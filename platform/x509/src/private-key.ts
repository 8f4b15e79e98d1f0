import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import type { KeyKind } from '@tinkerbell/template';
import type * as DsaKey from './dsa-key.ts';
import { pemBlock, pemText } from './pem.ts';

const require = createRequire(import.meta.url);

const RSA_BITS = { rsa: 4096, 'rsa-2048': 2048 } as const;

/** Creates a key and returns it as sprig writes it. */
export function generateKey(kind: KeyKind): string {
  switch (kind) {
    case 'rsa':
    case 'rsa-2048':
      return rsaKey(RSA_BITS[kind]);
    case 'dsa':
      return keyPem(generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey);
    case 'ecdsa':
      return ecdsaKey('P-256');
    case 'ed25519':
      return keyPem(generateKeyPairSync('ed25519').privateKey);
  }
}

/** PEM in the form of SEC 1. */
export function ecdsaKey(namedCurve: 'P-256' | 'P-384'): string {
  return keyPem(generateKeyPairSync('ec', { namedCurve }).privateKey);
}

/** PEM in the form of PKCS#1. */
export function rsaKey(modulusLength: number): string {
  return keyPem(generateKeyPairSync('rsa', { modulusLength }).privateKey);
}

/** PEM: PKCS#1 for RSA, SEC 1 for EC, OpenSSL's own form for DSA, PKCS#8 for everything else. */
export function keyPem(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return key.export({ type: 'pkcs1', format: 'pem' });
    case 'ec':
      return key.export({ type: 'sec1', format: 'pem' });
    case 'dsa':
      return pemText('DSA PRIVATE KEY', dsaKey(key));
    default:
      return key.export({ type: 'pkcs8', format: 'pem' });
  }
}

function dsaKey(key: KeyObject): Uint8Array {
  const loaded: typeof DsaKey = require('./dsa-key.ts');
  return loaded.dsaKeyBytes(key);
}

export type KeyResult =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly error: string };

/** Reads a private key in one of the forms that sprig accepts. */
export function readKey(pem: string): KeyResult {
  const refused = (error: string): KeyResult => ({ ok: false, error });
  const block = pemBlock(pem);
  if (block === undefined) return refused('no PEM data in input');
  const { label } = block;
  if (label !== 'PRIVATE KEY' && !label.endsWith(' PRIVATE KEY')) {
    return refused(`no private key data in PEM block of type ${label}`);
  }
  const kind = label.replace(/ ?PRIVATE KEY$/, '');
  if (!['', 'RSA', 'EC', 'DSA'].includes(kind)) return refused(`invalid private key type ${kind}`);
  try {
    return { ok: true, key: createPrivateKey(pemText(label, block.bytes)) };
  } catch (error) {
    const what = kind === '' ? 'decoding PEM as PKCS#8' : `parsing ${kind} private key from PEM`;
    return refused(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
