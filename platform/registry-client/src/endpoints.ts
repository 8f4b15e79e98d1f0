/** The servers that may have an image, in the order in which they are asked. */
import type { RegistryCredentials, RegistrySettings } from './registry-settings.ts';

export interface Endpoint {
  /** Shown in errors: `quay.io`, or `10.0.0.1:7080 (mirror of quay.io)`. */
  readonly name: string;
  /** Ends with a slash. The repository follows. */
  readonly base: URL;
  readonly isMirror: boolean;
  readonly credentials?: RegistryCredentials;
}

const DOCKER_HUB = 'docker.io';
/** Docker Hub serves its images at another host than images name. */
const DOCKER_HUB_HOST = 'registry-1.docker.io';
const DOCKER_HUB_NAMES = new Set([DOCKER_HUB, DOCKER_HUB_HOST, 'index.docker.io']);

/** Returns the mirrors of the registry, and the registry itself as the last one. */
export function endpointsFor(registry: string, settings: RegistrySettings): readonly Endpoint[] {
  const mirrors = Object.hasOwn(settings.mirrors, registry) ? (settings.mirrors[registry] ?? []) : [];
  const scheme = settings.plainHttp.includes(registry) ? 'http' : 'https';
  const host = registry === DOCKER_HUB ? DOCKER_HUB_HOST : registry;
  return [
    ...mirrors.map((text) => {
      const base = baseOf(text);
      return endpoint(
        { name: `${base.host} (mirror of ${registry})`, base, isMirror: true },
        base.host,
        settings,
      );
    }),
    endpoint({ name: registry, base: baseOf(`${scheme}://${host}`), isMirror: false }, registry, settings),
  ];
}

function baseOf(text: string): URL {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = '/v2/';
  else if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function endpoint(
  parts: Omit<Endpoint, 'credentials'>,
  host: string,
  { credentials }: RegistrySettings,
): Endpoint {
  const own = credentials.find(({ registry }) => nameOf(registry) === nameOf(host));
  return own === undefined ? parts : { ...parts, credentials: own };
}

function nameOf(host: string): string {
  return DOCKER_HUB_NAMES.has(host) ? DOCKER_HUB : host.toLowerCase();
}
