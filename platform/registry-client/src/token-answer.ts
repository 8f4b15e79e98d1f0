/** A token as RFC 6750 allows it in a header. */
const TOKEN = /^[\w.~+/=-]+$/;

/** Reads the answer of a token server. Older servers call the token `token`, and OAuth 2 calls it `access_token`. */
export function tokenIn(body: Uint8Array): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  const { token, access_token: accessToken }: { token?: unknown; access_token?: unknown } = json;
  return [token, accessToken].find(
    (text): text is string => typeof text === 'string' && text.length > 0 && TOKEN.test(text),
  );
}
