/** Loads the ASN.1 library, so `private-key.ts` loads this file with the first DSA key. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { BitString, fromBER, Integer, OctetString, Sequence } from 'asn1js';

/** Writes OpenSSL's own form of a DSA private key, which Node can read but not write: version 0, P, Q, G, Y and X. */
export function dsaKeyBytes(key: KeyObject): Uint8Array {
  const [, identifier, wrapped] = partsOf(key.export({ type: 'pkcs8', format: 'der' }), Sequence);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const publicKey = partsOf(spki, Sequence)[1];
  if (!(identifier instanceof Sequence && wrapped instanceof OctetString && publicKey instanceof BitString))
    throw new TypeError('a DSA key must have the form of PKCS#8');
  const parameters = identifier.valueBlock.value[1];
  if (!(parameters instanceof Sequence)) throw new TypeError('a DSA key has no parameters');
  const [y, x] = [publicKey, wrapped].map(({ valueBlock }) => fromBER(valueBlock.valueHexView).result);
  const value = [new Integer({ value: 0 }), ...parameters.valueBlock.value, y, x].filter(
    (one) => one !== undefined,
  );
  return new Uint8Array(new Sequence({ value }).toBER());
}

function partsOf(bytes: Uint8Array, kind: typeof Sequence): Sequence['valueBlock']['value'] {
  const { result } = fromBER(bytes);
  return result instanceof kind ? result.valueBlock.value : [];
}
