import type { HashAlgorithm } from '../crypto.ts';

/** A set of algorithms for a session, with the numbers of tables 13-17 to 13-19. */
export interface CipherSuite {
  /** The number in table 22-20, which is the `cipherSuite` of operators. */
  readonly id: 3 | 17;
  readonly authentication: number;
  readonly integrity: number;
  readonly confidentiality: number;
  readonly hash: HashAlgorithm;
  /** The length of the authentication code of each packet. */
  readonly integrityBytes: 12 | 16;
}

const hmacSha1: CipherSuite = {
  id: 3,
  authentication: 1, // RAKP-HMAC-SHA1
  integrity: 1, // HMAC-SHA1-96
  confidentiality: 1, // AES-CBC-128
  hash: 'sha1',
  integrityBytes: 12,
};

const hmacSha256: CipherSuite = {
  id: 17,
  authentication: 3, // RAKP-HMAC-SHA256
  integrity: 4, // HMAC-SHA256-128
  confidentiality: 1, // AES-CBC-128
  hash: 'sha256',
  integrityBytes: 16,
};

/**
 * The suites that are used, the preferred one first. Suite 0 authenticates nobody, suites without encryption show the console to the
 * network, and those with MD5 or RC4 are broken, so all of these are refused.
 */
export const cipherSuites: readonly CipherSuite[] = [hmacSha256, hmacSha1];

export function cipherSuiteWithId(id: number): CipherSuite | undefined {
  return cipherSuites.find((suite) => suite.id === id);
}

export function cipherSuiteWith(
  algorithms: Pick<CipherSuite, 'authentication' | 'integrity' | 'confidentiality'>,
): CipherSuite | undefined {
  return cipherSuites.find(
    (suite) =>
      suite.authentication === algorithms.authentication &&
      suite.integrity === algorithms.integrity &&
      suite.confidentiality === algorithms.confidentiality,
  );
}

const STANDARD_RECORD = 0xc0;
const OEM_RECORD = 0xc1;

/** Returns the ids of the records that Get Channel Cipher Suites returned (table 22-19). Records of vendors are skipped. */
export function cipherSuiteIdsIn(records: Uint8Array): readonly number[] {
  const ids: number[] = [];
  for (let at = 0; at < records.length; at++) {
    // Algorithms have other values in their upper bits, so a start byte is recognized without counting them.
    const id = records[at + 1];
    if (records[at] === STANDARD_RECORD) {
      if (id !== undefined) ids.push(id);
      at += 1;
    } else if (records[at] === OEM_RECORD) at += 4;
  }
  return ids;
}

/** The inverse, for a BMC: each suite with its algorithms. */
export function encodeCipherSuiteRecords(suites: readonly CipherSuite[]): Uint8Array {
  return Uint8Array.from(
    suites.flatMap((suite) => [
      STANDARD_RECORD,
      suite.id,
      suite.authentication,
      0x40 | suite.integrity,
      0x80 | suite.confidentiality,
    ]),
  );
}
