/**
 * Writes certificates as Go's x509 package does. It loads the ASN.1 library (60 ms and 8 MB), so `index.ts` loads this file with
 * the first certificate.
 */
import { createHash, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  Certificate,
  id_ce_subjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
  type Name,
} from '@peculiar/asn1-x509';
import type { CertificateRequest, CertificateResult } from '@tinkerbell/template';
import { certificateExtensions } from './certificate-extensions.ts';
import { CertificateFailure } from './certificate-failure.ts';
import { certificateTime, commonNameOf } from './certificate-fields.ts';
import { pemBlock } from './pem.ts';
import { keyPem, readKey } from './private-key.ts';
import { signatureAlgorithm } from './signature-algorithm.ts';

const SERIAL_SIZE = 16;
const DAY_MS = 86_400_000;

/** Creates and signs a certificate (Go's x509.CreateCertificate as sprig calls it). */
export function certify(request: CertificateRequest, nowMs: number): CertificateResult {
  try {
    return issue(request, nowMs);
  } catch (error) {
    if (error instanceof CertificateFailure) return { ok: false, error: error.message };
    throw error;
  }
}

/** The issuer: its name and key identifier as they appear in its certificate. */
interface Issuer {
  readonly name: Name;
  readonly keyId: Uint8Array | undefined;
  readonly key: KeyObject;
}

function issue(request: CertificateRequest, nowMs: number): CertificateResult {
  const key = keyOf(request.key, 'parsing private key');
  const subject = commonNameOf(request.commonName);
  const issuer = issuerOf(request) ?? { name: subject, keyId: undefined, key };
  const algorithm = signatureAlgorithm(issuer.key);
  const isForeign = !bytesOf(issuer.name).equals(bytesOf(subject));
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const subjectPublicKeyInfo = AsnConvert.parse(spki, SubjectPublicKeyInfo);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm.identifier,
    issuer: issuer.name,
    validity: validityOf(nowMs, request.daysValid),
    subject,
    subjectPublicKeyInfo,
    extensions: certificateExtensions(request, {
      subjectKeyId: request.isAuthority ? keyIdOf(subjectPublicKeyInfo) : undefined,
      authorityKeyId: isForeign ? issuer.keyId : undefined,
      hasSubject: request.commonName !== '',
    }),
  });
  const signature = sign(algorithm.digest, bytesOf(tbsCertificate), issuer.key);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm.identifier,
    signatureValue: new Uint8Array(signature).buffer,
  });
  return { ok: true, certificate: new X509Certificate(bytesOf(certificate)).toString(), key: keyPem(key) };
}

function validityOf(fromMs: number, days: number): Validity {
  const validity = new Validity();
  validity.notBefore = certificateTime(fromMs);
  validity.notAfter = certificateTime(fromMs + days * DAY_MS);
  return validity;
}

function bytesOf(value: object): Buffer {
  return Buffer.from(AsnConvert.serialize(value));
}

/** The serial number is positive and has a fixed length. */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(randomBytes(SERIAL_SIZE));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.buffer;
}

function issuerOf({ authority }: CertificateRequest): Issuer | undefined {
  if (authority === undefined) return undefined;
  const problem = certificateProblem(authority.certificate, 'decodedSignerCert');
  if (problem !== undefined) throw new CertificateFailure(problem);
  const key = keyOf(authority.key, 'error parsing private key');
  const certificate = readCertificate(pemBlock(authority.certificate)?.bytes ?? Buffer.alloc(0));
  if (!certificate.checkPrivateKey(key)) {
    throw new CertificateFailure(
      "error creating certificate: x509: provided PrivateKey doesn't match parent's PublicKey",
    );
  }
  const { subject, extensions } = AsnConvert.parse(certificate.raw, Certificate).tbsCertificate;
  const identifier = extensions?.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier)?.extnValue;
  return { key, name: subject, keyId: identifier && octetsIn(identifier) };
}

function octetsIn(value: OctetString): Uint8Array {
  return new Uint8Array(AsnConvert.parse(value.buffer, OctetString).buffer);
}

function keyOf(pem: string, what: string): KeyObject {
  const read = readKey(pem);
  if (!read.ok) throw new CertificateFailure(`${what}: ${read.error}`);
  return read.key;
}

/** RFC 7093, method 1: the first 160 bits of the key's SHA-256. */
function keyIdOf({ subjectPublicKey }: SubjectPublicKeyInfo): Uint8Array {
  return createHash('sha256').update(new Uint8Array(subjectPublicKey)).digest().subarray(0, 20);
}

function readCertificate(bytes: Uint8Array): X509Certificate {
  return new X509Certificate(bytes);
}

/** Returns why a PEM text is not a certificate. `name` is what Go's message calls it. */
export function certificateProblem(pem: string, name = 'decodedCert'): string | undefined {
  const block = pemBlock(pem);
  if (block === undefined) return 'unable to decode certificate';
  try {
    readCertificate(block.bytes);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `error parsing certificate: ${name}.Bytes: x509: ${why}`;
  }
}
