import { ActionError, readEnvironment, type Environment } from '@tinkerbell/action-kit';

const COMMANDS = ['partition', 'format', 'mount', 'wipe', 'version'] as const;
export type RootioCommand = (typeof COMMANDS)[number];

/** Upstream's default. Tinkerbell's metadata service listens on 7080. */
const PORT_DEFAULT = 50_061;

export interface Settings {
  /** The metadata service, or a file with its answer. */
  readonly source: { readonly url: URL } | { readonly file: string };
  readonly table: 'gpt' | 'mbr';
}

/** @throws ActionError that lists the commands. */
export function readCommand(words: readonly string[]): RootioCommand {
  const found = COMMANDS.find((command) => command === words[0]);
  if (found !== undefined && words.length === 1) return found;
  const given = words.length === 0 ? 'is missing' : `"${words.join(' ')}" is unknown`;
  throw new ActionError(`rootio: the command ${given}; set command to one of ${COMMANDS.join(', ')}`);
}

/** Variables as in upstream's rootio. TEST and MBR are enabled by any value except a refusal. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('rootio', environment);
  const isTest = isSet(environment['TEST']);
  const table = isSet(environment['MBR']) ? 'mbr' : 'gpt';
  if (isTest) {
    const file = read.required('JSON_FILE', 'the file with the metadata, because TEST is set');
    read.finish();
    return { source: { file }, table };
  }
  const host = read.required('MIRROR_HOST', 'the host of the metadata service, for example 192.0.2.1');
  const port = read.integer('METADATA_SERVICE_PORT', { minimum: 1, maximum: 65_535, fallback: PORT_DEFAULT });
  const url = URL.parse(
    `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}/metadata`,
  );
  if (url === null || url.pathname !== '/metadata')
    read.problem(
      `MIRROR_HOST=${host} must be a host name or an IP address, without http:// and without a port`,
    );
  read.finish();
  return { source: { url: url ?? new URL('http://invalid.invalid/') }, table };
}

function isSet(value: string | undefined): boolean {
  return !/^(|n|no|false|0|off)$/i.test(value ?? '');
}
