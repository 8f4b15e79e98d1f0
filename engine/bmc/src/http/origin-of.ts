import { BmcError } from '../bmc-error.ts';

/** Returns the origin of a service at an address or a DNS name. @throws BmcError `unreachable` for anything else. */
export function originOf(scheme: 'http' | 'https', host: string, port: number): URL {
  const name = host.includes(':') ? `[${host.replace(/^\[(.*)\]$/, '$1')}]` : host;
  const origin = URL.parse(`${scheme}://${name}:${port}`);
  // What is not an address or a name becomes another part of the URL, or makes it invalid.
  if (origin === null || origin.href !== `${origin.origin}/`)
    throw new BmcError('unreachable', `${JSON.stringify(host)} is not an address or a DNS name`);
  return origin;
}
