/** What an operator configures about registries. */
export interface RegistryCredentials {
  /** The host as it is written in images: `quay.io`, `10.0.0.1:5000`. */
  readonly registry: string;
  readonly username: string;
  readonly password: string;
}

export interface RegistrySettings {
  readonly credentials: readonly RegistryCredentials[];
  /** URLs to try before the registry itself, in this order. */
  readonly mirrors: Readonly<Record<string, readonly string[]>>;
  /** Hosts, with their port, that use plain HTTP. */
  readonly plainHttp: readonly string[];
  /** Certificates of authorities in PEM, in addition to those of Node. */
  readonly authorities?: string;
  /** Accepts any certificate. Blobs have digests, but nothing protects a tag or a password. */
  readonly skipVerification?: boolean;
}

const MIRRORS_MAX = 32;

/** Reads `registry=URL` pairs that are separated by commas. A registry may occur several times. Throws an Error that quotes the pair. */
export function readMirrors(text: string): Readonly<Record<string, readonly string[]>> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  if (pairs.length > MIRRORS_MAX)
    throw new Error(`${pairs.length} mirrors are configured; at most ${MIRRORS_MAX} are allowed`);
  const mirrors = new Map<string, readonly string[]>();
  for (const pair of pairs) {
    const [registry = '', ...rest] = pair.trim().split('=');
    const url = rest.join('=').trim();
    if (!HOST.test(registry) || !isEndpoint(url))
      throw new Error(
        `the mirror '${pair.trim()}' is invalid; write registry=URL, for example docker.io=http://10.0.0.1:5000`,
      );
    mirrors.set(registry, [...(mirrors.get(registry) ?? []), url]);
  }
  return Object.fromEntries(mirrors);
}

/** Reads hosts that are separated by commas. Throws an Error that quotes an invalid host. */
export function readHosts(text: string): readonly string[] {
  const hosts = text
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong !== undefined)
    throw new Error(`the registry '${wrong}' is invalid; write a host and a port, for example 10.0.0.1:5000`);
  return hosts;
}

const HOST = /^(?:\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?)(?::[0-9]{1,5})?$/;

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isHttp && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
