/**
 * Checks the strict compact form (RFC 7515, 3.1 and 7.1) before any library sees the token: no spaces, no padding, no extra
 * parts.
 */

/** This is larger than any header field that a proxy forwards. */
export const TOKEN_LENGTH_MAX = 16_384;

export type CompactToken =
  | {
      readonly ok: true;
      readonly algorithm: string;
      readonly keyId: string | undefined;
      /** The claim as the token states it. Trust it only after the signature is verified. */
      readonly issuer: string | undefined;
    }
  | { readonly ok: false; readonly reason: 'malformed' | 'oversized'; readonly message: string };

/** Properties of `Object.prototype` are never read: both parts are read from own properties. */
export function readCompactToken(token: string): CompactToken {
  if (token.length > TOKEN_LENGTH_MAX)
    return refused('oversized', `the token is longer than ${TOKEN_LENGTH_MAX} characters`);
  const parts = token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined || !signature)
    return refused('malformed', 'a token must have three parts: header.payload.signature');
  const spoiled = parts.findIndex((part) => !isBase64Url(part));
  if (spoiled >= 0) return refused('malformed', `part ${spoiled + 1} of the token is not base64url`);
  const [protectedHeader, claims] = [jsonRecord(header), jsonRecord(payload)];
  if (protectedHeader === undefined || claims === undefined)
    return refused('malformed', 'header and payload of a token must be JSON objects');
  const algorithm = text(protectedHeader, 'alg');
  if (algorithm === undefined) return refused('malformed', 'the token names no algorithm');
  if (Object.hasOwn(protectedHeader, 'crit'))
    return refused('malformed', 'the token has critical extensions, which are not supported');
  return { ok: true, algorithm, keyId: text(protectedHeader, 'kid'), issuer: text(claims, 'iss') };
}

function refused(reason: 'malformed' | 'oversized', message: string): CompactToken {
  return { ok: false, reason, message };
}

/** Accepts only the canonical spelling: unused bits must be zero, or one token would have several texts. */
function isBase64Url(part: string): boolean {
  if (!/^[\w-]+$/.test(part) || part.length % 4 === 1) return false;
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function jsonRecord(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(from: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(from, name) ? from[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
