import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Extension,
  ExtendedKeyUsage,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import type { CertificateRequest } from '@tinkerbell/template';
import { formatIpAddress, parseIpAddress } from '@tinkerbell/wire';
import { CertificateFailure } from './certificate-failure.ts';

const LEAF_USAGE = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment;

export interface ExtensionInput {
  readonly subjectKeyId: Uint8Array | undefined;
  readonly authorityKeyId: Uint8Array | undefined;
  readonly hasSubject: boolean;
}

/** The extensions that Go writes, in its order. */
export function certificateExtensions(request: CertificateRequest, input: ExtensionInput): Extensions {
  const { isAuthority } = request;
  const { subjectKeyId, authorityKeyId, hasSubject } = input;
  const usage = isAuthority ? LEAF_USAGE | KeyUsageFlags.keyCertSign : LEAF_USAGE;
  const extensions = [
    extension(id_ce_keyUsage, new KeyUsage(usage), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth])),
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: isAuthority }), true),
  ];
  if (subjectKeyId !== undefined)
    extensions.push(extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(subjectKeyId)));
  if (authorityKeyId !== undefined) {
    const keyIdentifier = new KeyIdentifier(authorityKeyId);
    extensions.push(extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })));
  }
  const names = alternativeNames(request);
  if (names.length > 0)
    extensions.push(extension(id_ce_subjectAltName, new SubjectAlternativeName(names), !hasSubject));
  return new Extensions(extensions);
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** An IPv4 address mapped into IPv6 is written as IPv4. Throws a CertificateFailure for a host name that is not ASCII, as Go does. */
function alternativeNames({ dnsNames, ips }: CertificateRequest): GeneralName[] {
  const foreign = dnsNames.find((name) => !/^\p{ASCII}*$/u.test(name));
  if (foreign !== undefined)
    throw new CertificateFailure(
      `error creating certificate: x509: ${JSON.stringify(foreign)} cannot be encoded as an IA5String`,
    );
  const addresses = ips.flatMap((text) => parseIpAddress(text) ?? []);
  return [
    ...dnsNames.map((dNSName) => new GeneralName({ dNSName })),
    ...addresses.map((address) => new GeneralName({ iPAddress: formatIpAddress(address) })),
  ];
}
