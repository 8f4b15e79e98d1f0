/** RMCP+ and RAKP status codes (table 13-15) that callers compare with. */
export const rakpStatus = {
  ok: 0x00,
  noResources: 0x01,
  invalidSessionId: 0x02,
  invalidAuthentication: 0x04,
  invalidIntegrity: 0x05,
  inactiveSession: 0x08,
  invalidRole: 0x09,
  unauthorizedRole: 0x0a,
  noResourcesForRole: 0x0b,
  invalidNameLength: 0x0c,
  unauthorizedName: 0x0d,
  invalidDigest: 0x0f,
  invalidConfidentiality: 0x10,
  noMatchingSuite: 0x11,
} as const;

const sentences: Readonly<Partial<Record<number, string>>> = {
  0x00: 'no error',
  0x01: 'it has no resources for another session',
  0x02: 'the session id is invalid',
  0x03: 'the payload type is invalid',
  0x04: 'the authentication algorithm is invalid',
  0x05: 'the integrity algorithm is invalid',
  0x06: 'no authentication algorithm matches',
  0x07: 'no integrity algorithm matches',
  0x08: 'the session is inactive',
  0x09: 'the role is invalid',
  0x0a: 'the role or privilege level is unauthorized',
  0x0b: 'it has no resources for a session at this role',
  0x0c: 'the length of the username is invalid',
  0x0d: 'the username is unauthorized',
  0x0e: 'its GUID is unauthorized',
  0x0f: 'the digest of the client is invalid',
  0x10: 'the encryption algorithm is invalid',
  0x11: 'no cipher suite matches',
  0x12: 'a parameter is illegal',
};

/** Returns a clause for a code, without a full stop: `the username is unauthorized (status 0x0d)`. */
export function describeRakpStatus(status: number): string {
  return `${sentences[status] ?? 'the login failed'} (status 0x${status.toString(16).padStart(2, '0')})`;
}

const suiteRefusals: readonly number[] = [0x04, 0x05, 0x06, 0x07, 0x10, 0x11];

/** Returns true for a status after which another cipher suite may succeed. */
export function isSuiteRefusal(status: number): boolean {
  return suiteRefusals.includes(status);
}
