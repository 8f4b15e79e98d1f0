/** PEM with lines of 64 characters (RFC 7468). */
export function pemText(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** Returns the first PEM block of a text. */
export function pemBlock(text: string): { label: string; bytes: Uint8Array } | undefined {
  const match = /-----BEGIN ([^\n-]+)-----\r?\n([A-Za-z0-9+/=\s]*?)\r?\n?-----END \1-----/.exec(text);
  if (match === null) return undefined;
  return { label: match[1] ?? '', bytes: Buffer.from(match[2] ?? '', 'base64') };
}
