/** The agent's settings for containers. The names of the first five flags are upstream's. */
import { readHosts, readMirrors, type RegistrySettings } from '@tinkerbell/registry-client/settings';

export interface ContainerSettings {
  /** `auto`: crun if it is installed. */
  readonly runtime: 'auto' | 'builtin' | 'crun' | 'docker';
  readonly builtInActions: 'auto' | 'never';
  readonly crun: string;
  readonly directory: string;
  readonly dockerSocket: string;
  readonly registries: RegistrySettings;
  /** A file with certificates in PEM. */
  readonly authoritiesFile: string;
}

export const CONTAINER_DEFAULTS: Readonly<Record<string, string>> = {
  runtime: 'auto',
  'registry-name': '',
  'registry-user': '',
  'registry-pass': '',
  'docker-socket': '/var/run/docker.sock',
  'built-in-actions': 'auto',
  'registry-mirrors': '',
  'registry-plain-http': '',
  'registry-ca-file': '',
  'container-directory': '',
  crun: 'crun',
};

const RUNTIMES = ['auto', 'builtin', 'crun', 'docker'] as const;

/** Throws an Error that names the flag and the fix. */
export function containerSettings(values: Readonly<Record<string, string>>): ContainerSettings {
  const value = (name: string): string => values[name] ?? '';
  const builtIn = value('built-in-actions');
  if (builtIn !== 'auto' && builtIn !== 'never')
    throw new Error(`built-in-actions=${builtIn} must be auto or never`);
  // Kernel arguments may have the path of an image behind the host.
  const registry = value('registry-name').split('/')[0] ?? '';
  const login = { registry, username: value('registry-user'), password: value('registry-pass') };
  return {
    runtime: runtimeIn(value('runtime')),
    builtInActions: builtIn,
    crun: value('crun'),
    directory: value('container-directory') || `${value('spool-directory')}/containers`,
    dockerSocket: value('docker-socket'),
    registries: {
      credentials: registry === '' || login.username === '' ? [] : [login],
      mirrors: readMirrors(value('registry-mirrors')),
      plainHttp: readHosts(value('registry-plain-http')),
    },
    authoritiesFile: value('registry-ca-file'),
  };
}

/** CaptainOS starts its agent with `containerd`. */
function runtimeIn(text: string): ContainerSettings['runtime'] {
  if (text === 'containerd') return 'auto';
  const known = RUNTIMES.find((one) => one === text);
  if (known !== undefined) return known;
  throw new Error(`runtime=${text} is not supported; use ${RUNTIMES.join(', ')}`);
}
