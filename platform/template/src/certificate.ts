import { createHash, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { CertificateRequest, CertificateResult } from '@tinkerbell/template';
import { certificateExtensions, subjectKeyOf } from './certificate-extensions.ts';
import { der, derBits, derInteger, derOid, inside, pemBlock, pemText, readDer, TAG } from './der.ts';
import { keyPem, readKey } from './private-key.ts';

const SERIAL_SIZE = 16;
const DAY_MS = 86_400_000;
const YEAR_MAX = 9999;

/** Thrown inside; certify turns it into a value. */
class CertificateFailure extends Error {}

/** Makes and signs a certificate (Go's x509.CreateCertificate as sprig calls it). */
export function certify(request: CertificateRequest, nowMs: number): CertificateResult {
  try {
    return issue(request, nowMs);
  } catch (error) {
    if (error instanceof CertificateFailure) return { ok: false, error: error.message };
    throw error;
  }
}

/** Why a PEM text is no certificate. */
export function certificateProblem(pem: string, name = 'decodedCert'): string | undefined {
  const block = pemBlock(pem);
  if (block === undefined) return 'unable to decode certificate';
  try {
    certificateIn(block.bytes);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `error parsing certificate: ${name}.Bytes: x509: ${why}`;
  }
}

/** Who signs: its name and identifier as they stand in its certificate. */
interface Issuer {
  readonly name: Uint8Array;
  readonly keyId: Uint8Array | undefined;
  readonly key: KeyObject;
}

function issue(request: CertificateRequest, nowMs: number): CertificateResult {
  const key = keyOf(request.key, 'parsing private key');
  const subject = nameOf(request.commonName);
  const issuer = issuerOf(request) ?? { name: subject, keyId: undefined, key };
  const algorithm = signatureAlgorithm(issuer.key);
  const isForeign = !Buffer.from(issuer.name).equals(subject);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const extensions = certificateExtensions(request, {
    subjectKeyId: request.isAuthority ? keyIdOf(spki) : undefined,
    authorityKeyId: isForeign ? issuer.keyId : undefined,
    hasSubject: request.commonName !== '',
  });
  const toSign = der(
    TAG.sequence,
    der(0xa0, derInteger(Buffer.of(2))),
    derInteger(randomBytes(SERIAL_SIZE)),
    algorithm.identifier,
    issuer.name,
    der(TAG.sequence, timeOf(nowMs), timeOf(nowMs + request.daysValid * DAY_MS)),
    subject,
    spki,
    der(0xa3, extensions),
  );
  const signature = sign(algorithm.digest, toSign, issuer.key);
  const certificate = der(TAG.sequence, toSign, algorithm.identifier, derBits(signature));
  return { ok: true, certificate: pemText('CERTIFICATE', certificate), key: keyPem(key) };
}

function issuerOf({ authority }: CertificateRequest): Issuer | undefined {
  if (authority === undefined) return undefined;
  const problem = certificateProblem(authority.certificate, 'decodedSignerCert');
  if (problem !== undefined) throw new CertificateFailure(problem);
  const key = keyOf(authority.key, 'error parsing private key');
  const { raw } = new X509Certificate(pemBlock(authority.certificate)?.bytes ?? Buffer.alloc(0));
  if (!new X509Certificate(raw).checkPrivateKey(key)) {
    throw new CertificateFailure(
      "error creating certificate: x509: provided PrivateKey doesn't match parent's PublicKey",
    );
  }
  const fields = readDer(inside(inside(raw, 0), 0));
  const subjectAt = fields[0]?.tag === 0xa0 ? 5 : 4;
  return { key, name: fields[subjectAt]?.whole ?? nameOf(''), keyId: subjectKeyOf(fields) };
}

function keyOf(pem: string, what: string): KeyObject {
  const read = readKey(pem);
  if (!read.ok) throw new CertificateFailure(`${what}: ${read.error}`);
  return read.key;
}

function signatureAlgorithm(key: KeyObject): { identifier: Uint8Array; digest: string | null } {
  const plain = (oid: string): Uint8Array => der(TAG.sequence, derOid(oid));
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return {
        identifier: der(TAG.sequence, derOid('1.2.840.113549.1.1.11'), der(TAG.null)),
        digest: 'sha256',
      };
    case 'ed25519':
      return { identifier: plain('1.3.101.112'), digest: null };
    case 'ec':
      return ecAlgorithm(key.asymmetricKeyDetails?.namedCurve, plain);
    default:
      throw new CertificateFailure(
        `error creating certificate: x509: unsupported public key type: ${key.asymmetricKeyType}`,
      );
  }
}

function ecAlgorithm(
  curve: string | undefined,
  plain: (oid: string) => Uint8Array,
): { identifier: Uint8Array; digest: string } {
  if (curve === 'secp384r1') return { identifier: plain('1.2.840.10045.4.3.3'), digest: 'sha384' };
  if (curve === 'secp521r1') return { identifier: plain('1.2.840.10045.4.3.4'), digest: 'sha512' };
  return { identifier: plain('1.2.840.10045.4.3.2'), digest: 'sha256' };
}

/** A name of nothing but the common name; empty without one. */
function nameOf(commonName: string): Uint8Array {
  if (commonName === '') return der(TAG.sequence);
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(commonName);
  const value = der(isPrintable ? TAG.printableString : TAG.utf8String, Buffer.from(commonName));
  return der(TAG.sequence, der(TAG.set, der(TAG.sequence, derOid('2.5.4.3'), value)));
}

/** RFC 5280: two digits of the year until 2049, four from then on. */
function timeOf(ms: number): Uint8Array {
  const date = new Date(ms);
  if (!(date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= YEAR_MAX)) {
    throw new CertificateFailure('error creating certificate: cannot represent time as GeneralizedTime');
  }
  const digits = `${date.toISOString().replace(/\.\d+Z$|[-:T]/g, '')}Z`;
  const year = date.getUTCFullYear();
  const isShort = year >= 1950 && year < 2050;
  return der(isShort ? TAG.utcTime : TAG.generalizedTime, Buffer.from(isShort ? digits.slice(2) : digits));
}

/** RFC 7093, method 1: the first 160 bits of the key's SHA-256. */
function keyIdOf(spki: Uint8Array): Uint8Array {
  const bits = inside(inside(spki, 0), 1).subarray(1);
  return createHash('sha256').update(bits).digest().subarray(0, 20);
}

function certificateIn(bytes: Uint8Array): X509Certificate {
  return new X509Certificate(bytes);
}
