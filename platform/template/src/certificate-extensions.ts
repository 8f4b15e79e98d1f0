import type { CertificateRequest } from '@tinkerbell/template';
import { addressBytes } from './address-bytes.ts';
import { der, derBits, type DerElement, derOid, readDer, TAG } from './der.ts';

const OID = {
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  basicConstraints: '2.5.29.19',
  subjectKeyId: '2.5.29.14',
  authorityKeyId: '2.5.29.35',
  subjectAltName: '2.5.29.17',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** digitalSignature and keyEncipherment; an authority also has keyCertSign. */
const USAGE = { leaf: { bits: 0xa0, unused: 5 }, authority: { bits: 0xa4, unused: 2 } } as const;

export interface ExtensionInput {
  readonly subjectKeyId: Uint8Array | undefined;
  readonly authorityKeyId: Uint8Array | undefined;
  readonly hasSubject: boolean;
}

/** The extensions that Go writes, in its order. */
export function certificateExtensions(request: CertificateRequest, input: ExtensionInput): Uint8Array {
  const usage = USAGE[request.isAuthority ? 'authority' : 'leaf'];
  const isAuthority = request.isAuthority ? [der(TAG.boolean, Buffer.of(0xff))] : [];
  const extensions = [
    extension(OID.keyUsage, derBits(Buffer.of(usage.bits), usage.unused), true),
    extension(OID.extendedKeyUsage, der(TAG.sequence, derOid(OID.serverAuth), derOid(OID.clientAuth))),
    extension(OID.basicConstraints, der(TAG.sequence, ...isAuthority), true),
  ];
  const { subjectKeyId, authorityKeyId, hasSubject } = input;
  if (subjectKeyId !== undefined) {
    extensions.push(extension(OID.subjectKeyId, der(TAG.octetString, subjectKeyId)));
  }
  if (authorityKeyId !== undefined) {
    extensions.push(extension(OID.authorityKeyId, der(TAG.sequence, der(0x80, authorityKeyId))));
  }
  const names = alternativeNames(request);
  if (names.length > 0) {
    extensions.push(extension(OID.subjectAltName, der(TAG.sequence, ...names), !hasSubject));
  }
  return der(TAG.sequence, ...extensions);
}

function extension(oid: string, value: Uint8Array, isCritical = false): Uint8Array {
  const critical = isCritical ? [der(TAG.boolean, Buffer.of(0xff))] : [];
  return der(TAG.sequence, derOid(oid), ...critical, der(TAG.octetString, value));
}

function alternativeNames({ dnsNames, ips }: CertificateRequest): Uint8Array[] {
  return [
    ...dnsNames.map((name) => der(0x82, Buffer.from(name))),
    ...ips.map((address) => der(0x87, addressBytes(address))),
  ];
}

/** The subject key identifier in the fields of a certificate, if it has one. */
export function subjectKeyOf(fields: readonly DerElement[]): Uint8Array | undefined {
  const written = fields.find(({ tag }) => tag === 0xa3);
  if (written === undefined) return undefined;
  const wanted = Buffer.from(derOid(OID.subjectKeyId));
  for (const { content } of readDer(readDer(written.content)[0]?.content ?? Buffer.alloc(0))) {
    const parts = readDer(content);
    const value = parts.at(-1);
    if (parts[0] !== undefined && wanted.equals(parts[0].whole) && value !== undefined) {
      return readDer(value.content)[0]?.content;
    }
  }
  return undefined;
}
