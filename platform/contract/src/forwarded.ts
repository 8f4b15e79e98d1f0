/** What proxies add (RFC 7239, RFC 9110 section 7.6.3, and what is older than both). */
const ADDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/** Whether a request came by a proxy: then its peer is not who asked. `has` knows header names in lower case. */
export function isForwarded(has: (name: string) => boolean): boolean {
  return ADDED.some((name) => has(name));
}
