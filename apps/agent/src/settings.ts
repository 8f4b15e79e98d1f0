/**
 * The agent's settings. Later sources override earlier ones: kernel command line (as written by the boot script), `AGENT_*`
 * environment, flags, and the unprefixed variables of the first Tink Worker. The names are upstream's.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '@tinkerbell/platform-contract';

import { CONTAINER_DEFAULTS, containerSettings, type ContainerSettings } from './container-settings.ts';

export interface Settings {
  readonly id: string;
  readonly grpcServer: string;
  readonly grpcTls: boolean;
  readonly grpcInsecureTls: boolean;
  readonly attributeDetection: boolean;
  readonly backoffMaxMs: number;
  /** 0 logs decisions; 1 and above also log details. */
  readonly logLevel: number;
  readonly spoolDirectory: string;
  /** Token that the agent exchanges for a session. */
  readonly bootToken?: string;
  /** Whether actions may restart this machine. Set only in the in-memory OS, to protect other machines. */
  readonly allowReboot: boolean;
  readonly containers: ContainerSettings;
}

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly error: string };

export interface SettingsSources {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly kernelCommandLine: string;
  /** The default id. */
  readonly firstMac: string | undefined;
}

export const DEFAULTS: Readonly<Record<string, string>> = {
  'grpc-tls': 'false',
  'grpc-insecure-tls': 'false',
  'attribute-detection': 'true',
  'backoff-max-interval': '5s',
  'log-level': '0',
  'spool-directory': '/run/tinkerbell-agent',
  'allow-reboot': 'false',
  'boot-token': '',
  ...CONTAINER_DEFAULTS,
};

const FLAGS = [...Object.keys(DEFAULTS), 'id', 'grpc-server'];

/** Upstream's flags for containerd or another transport. They are accepted without effect. */
const IGNORED_FLAGS = (
  'transport grpc-retry-interval containerd-namespace containerd-socket containerd-data-root ' +
  'containerd-registry-config-path'
).split(' ');

const LEGACY_FLAGS: Readonly<Record<string, string>> = {
  'tinkerbell-grpc-authority': 'grpc-server',
  'tinkerbell-tls': 'grpc-tls',
  'tinkerbell-insecure-tls': 'grpc-insecure-tls',
  'registry-username': 'registry-user',
  'registry-password': 'registry-pass',
  'docker-registry': 'registry-name',
};

const KERNEL_ARGUMENTS: Readonly<Record<string, string>> = {
  worker_id: 'id',
  grpc_authority: 'grpc-server',
  tinkerbell_tls: 'grpc-tls',
  tinkerbell_insecure_tls: 'grpc-insecure-tls',
  tinkerbell_boot_token: 'boot-token',
  docker_registry: 'registry-name',
  registry_username: 'registry-user',
  registry_password: 'registry-pass',
  insecure_registries: 'registry-plain-http',
  registry_mirrors: 'registry-mirrors',
};

const LEGACY_ENVIRONMENT: Readonly<Record<string, string>> = {
  TINKERBELL_GRPC_AUTHORITY: 'grpc-server',
  TINKERBELL_TLS: 'grpc-tls',
  TINKERBELL_INSECURE_TLS: 'grpc-insecure-tls',
  TINKERBELL_BOOT_TOKEN: 'boot-token',
  ID: 'id',
  WORKER_ID: 'id',
  DOCKER_REGISTRY: 'registry-name',
  REGISTRY_USERNAME: 'registry-user',
  REGISTRY_PASSWORD: 'registry-pass',
};

/** Returns the settings. Errors name the setting and the fix. */
export function readSettings(sources: SettingsSources): SettingsResult {
  try {
    return parse(collect(sources));
  } catch (error) {
    return { ok: false, error: messageOf(error) };
  }
}

function collect(sources: SettingsSources): Record<string, string> {
  const values: Record<string, string> = { ...DEFAULTS };
  if (sources.firstMac !== undefined) values['id'] = sources.firstMac;
  for (const word of sources.kernelCommandLine.trim().split(/\s+/)) {
    const [key = '', ...rest] = word.split('=');
    const flag = KERNEL_ARGUMENTS[key];
    if (flag !== undefined && rest.length > 0) values[flag] = rest.join('=');
  }
  for (const flag of FLAGS) {
    const value = sources.environment[`AGENT_${flag.toUpperCase().replaceAll('-', '_')}`];
    if (value !== undefined && value !== '') values[flag] = value;
  }
  Object.assign(values, parseFlags(sources.arguments));
  for (const [name, flag] of Object.entries(LEGACY_ENVIRONMENT)) {
    const value = sources.environment[name];
    if (value !== undefined && value !== '') values[flag] = value;
  }
  return values;
}

/** Like Go's flag package, accepts one dash and a boolean without a value. */
function parseFlags(args: readonly string[]): Record<string, string> {
  const known = [...FLAGS, ...IGNORED_FLAGS, ...Object.keys(LEGACY_FLAGS)];
  const doubled = args
    .map((text) => text.replace(/^-(?=[a-z]{2})/, '--'))
    .map((text) => (DEFAULTS[text.slice(2)] === 'false' ? `${text}=true` : text));
  const { values } = parseArgs({
    args: doubled,
    options: Object.fromEntries(known.map((name) => [name, { type: 'string' as const }])),
  });
  const flags: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && !IGNORED_FLAGS.includes(name)) flags[LEGACY_FLAGS[name] ?? name] = value;
  }
  return flags;
}

function parse(values: Readonly<Record<string, string>>): SettingsResult {
  const id = values['id'] ?? '';
  const grpcServer = values['grpc-server'] ?? '';
  if (id === '')
    throw new Error('the agent id is missing; set --id, AGENT_ID or the kernel argument worker_id');
  if (!/^.+:\d{1,5}$/.test(grpcServer)) {
    throw new Error(
      `the server address '${grpcServer}' is invalid or missing; set host:port with --grpc-server, AGENT_GRPC_SERVER or the kernel argument grpc_authority`,
    );
  }
  return {
    ok: true,
    settings: {
      id,
      grpcServer,
      grpcTls: flagValue(values, 'grpc-tls'),
      grpcInsecureTls: flagValue(values, 'grpc-insecure-tls'),
      attributeDetection: flagValue(values, 'attribute-detection'),
      backoffMaxMs: durationMs(values, 'backoff-max-interval'),
      logLevel: Number.parseInt(values['log-level'] ?? '0', 10) || 0,
      spoolDirectory: values['spool-directory'] ?? '',
      bootToken: values['boot-token'] ?? '',
      allowReboot: flagValue(values, 'allow-reboot'),
      containers: containerSettings(values),
    },
  };
}

function flagValue(values: Readonly<Record<string, string>>, name: string): boolean {
  const value = values[name] ?? '';
  if (/^(true|1|t|yes)$/i.test(value)) return true;
  if (/^(false|0|f|no)?$/i.test(value)) return false;
  throw new Error(`${name}=${value} must be true or false`);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function durationMs(values: Readonly<Record<string, string>>, name: string): number {
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(values[name] ?? '') ?? [];
  if (count === undefined) throw new Error(`${name}=${values[name]} must be a duration such as 5s`);
  return Number(count) * (UNIT_MS[unit] ?? 1);
}
