import {
  AttributeTypeAndValue,
  AttributeValue,
  Name,
  RelativeDistinguishedName,
  Time,
} from '@peculiar/asn1-x509';
import { CertificateFailure } from './certificate-failure.ts';

const COMMON_NAME = '2.5.4.3';
const YEAR_MAX = 9999;

/** Returns a name with only the common name, or an empty name without one. */
export function commonNameOf(commonName: string): Name {
  if (commonName === '') return new Name();
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(commonName);
  const value = new AttributeValue(
    isPrintable ? { printableString: commonName } : { utf8String: commonName },
  );
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

/** Writes whole seconds. The year has two digits from 1950 to 2049 and four otherwise (RFC 5280, section 4.1.2.5). */
export function certificateTime(ms: number): Time {
  const date = new Date(Math.floor(ms / 1000) * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= YEAR_MAX))
    throw new CertificateFailure('error creating certificate: cannot represent time as GeneralizedTime');
  return new Time(year >= 1950 && year < 2050 ? { utcTime: date } : { generalTime: date });
}
