import type { KeyObject } from 'node:crypto';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { CertificateFailure } from './certificate-failure.ts';

export interface SignatureAlgorithm {
  readonly identifier: AlgorithmIdentifier;
  /** Null for keys whose kind defines the algorithm. */
  readonly digest: string | null;
}

/** Returns the algorithm that Go signs with for this kind of key. Throws a CertificateFailure for other kinds. */
export function signatureAlgorithm({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): SignatureAlgorithm {
  switch (asymmetricKeyType) {
    case 'rsa':
      // The only algorithm with parameters: NULL (RFC 4055, section 5).
      return algorithm('1.2.840.113549.1.1.11', 'sha256', { parameters: null });
    case 'ed25519':
      return algorithm('1.3.101.112', null);
    case 'ec':
      return ecdsa(asymmetricKeyDetails?.namedCurve);
    default:
      throw new CertificateFailure(
        `error creating certificate: x509: unsupported public key type: ${asymmetricKeyType}`,
      );
  }
}

function ecdsa(curve: string | undefined): SignatureAlgorithm {
  if (curve === 'secp384r1') return algorithm('1.2.840.10045.4.3.3', 'sha384');
  if (curve === 'secp521r1') return algorithm('1.2.840.10045.4.3.4', 'sha512');
  return algorithm('1.2.840.10045.4.3.2', 'sha256');
}

function algorithm(
  oid: string,
  digest: string | null,
  parameters: { readonly parameters?: null } = {},
): SignatureAlgorithm {
  return { identifier: new AlgorithmIdentifier({ algorithm: oid, ...parameters }), digest };
}
