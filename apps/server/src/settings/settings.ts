/** Converts flags to the settings of the services. */
import { resolve } from 'node:path';
import type { NetworkInterface } from '@tinkerbell/platform-contract';
import type { BootConfig } from '@tinkerbell/service-boot';
import type { DoctorConfig } from '@tinkerbell/service-doctor';
import type { MetadataConfig } from '@tinkerbell/service-metadata';
import type { RegistryConfig } from '@tinkerbell/service-registry';
import type { RelayConfig } from '@tinkerbell/service-relay';
import { parseReferenceRules, type ReferenceRules } from '@tinkerbell/template';
import { parseIpv4, type Ipv4 } from '@tinkerbell/wire';
import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import { accessSettings, type AccessSettings } from '../access/access-settings.ts';
import { agentAuthConfig, agentAuthMode, metadataAuthMode } from './agent-auth-settings.ts';
import type { ApiAudience } from '../http/api-access.ts';
import type { BmcServiceConfig } from '@tinkerbell/service-bmc';
import { bmcConnectionSettings, bmcSettings, type BmcConnectionSettings } from '../bmc/bmc-settings.ts';
import { serialSettings, type SerialSettings } from '../serial/serial-settings.ts';
import { bootConfig } from './boot-settings.ts';
import { doctorSettings } from './doctor-settings.ts';
import { enrollmentSettings, type EnrollmentSettings } from './enrollment-settings.ts';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';
import { gatewaySettings, type GatewaySettings } from '../gateway/settings.ts';
import type { TracingSettings } from '../metrics/open-tracer.ts';
import { stackPorts } from './own-ports.ts';
import { publicIpv4 } from './public-ipv4.ts';
import { registryConfig } from './registry-settings.ts';
import { relayConfig } from './relay-settings.ts';
import { logLevelsOf, type LogLevels } from './log-levels.ts';
import { secretsKeys, storeSettings, type StoreSettings } from './store-settings.ts';
import { addressOf, trustedProxies } from './setting-values.ts';

export interface Settings {
  readonly dataDirectory: string;
  readonly store: StoreSettings;
  /** Replaces a damaged database with its intact part. */
  readonly acceptLoss: boolean;
  /** The first key seals secrets in the store. Each key opens what it sealed. If undefined, secrets are not sealed. */
  readonly secretsKeys?: readonly Uint8Array[];
  readonly logLevels: LogLevels;
  /** Time after a signal during which the server still works while `/readyz` reports failure. */
  readonly shutdownDelayMs: number;
  readonly publicIpv4: Ipv4;
  readonly http: { readonly address: string; readonly port: number };
  /** Additional ports for machines. They serve routes that need no credential. */
  readonly stackPorts: readonly number[];
  /** The same pages over TLS, if there is a certificate. */
  readonly https?: { readonly address: string; readonly port: number } & TlsFiles;
  /** Metadata only, on Hegel's old port; undefined disables it. */
  readonly legacyMetadataPort?: number;
  /** Loopback port of the API over TLS, for commands of this machine. 0: any free port. */
  readonly localApiPort: number;
  readonly apiAnonymous: ApiAudience;
  /** Allowed host names in requests without a credential, because a web page can point its own name to any address. */
  readonly apiAnonymousHosts: readonly string[];
  readonly access: AccessSettings;
  readonly agentAuth: AgentAuthMode;
  readonly tracing: TracingSettings;
  readonly journal: {
    readonly ageKeptMs: number;
    readonly recordsKept: number;
    readonly outputLinesKept: number;
  };
  /** If undefined, not run. */
  readonly boot?: BootConfig;
  readonly workflows?: {
    readonly address: string;
    readonly port: number;
    readonly tls?: TlsFiles;
    readonly provisioning: { readonly namespace: string; readonly audience: ApiAudience };
  } & EnrollmentSettings &
    ReturnType<typeof agentAuthConfig>;
  readonly images?: { readonly imagesDirectory: string; readonly hookDirectory: string };
  readonly metadata?: MetadataConfig;
  readonly registry: RegistryConfig | undefined;
  readonly controller: boolean;
  readonly doctor: DoctorConfig | undefined;
  readonly bmcConnections: BmcConnectionSettings;
  readonly bmc: BmcServiceConfig | undefined;
  readonly serial: SerialSettings | undefined;
  /** Whether the web console is served. */
  readonly webConsole: boolean;
  /** The link that signs in is logged also when the log is not a terminal. */
  readonly logsConsoleLink: boolean;
  /** Rules for the objects that Hardware may reference in templates. */
  readonly referenceRules: ReferenceRules;
  readonly relay?: RelayConfig;
  readonly gateway: GatewaySettings | undefined;
}

interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Below the lower limit, a single action can have more lines. Above the upper limit, the file is too large for one server. */
const JOURNAL_COUNT_RANGE = [10_000, 100_000_000] as const;

/** Throws a SettingsError that names the flag. */
export function settingsFrom(flags: FlagReader, networkInterfaces: readonly NetworkInterface[]): Settings {
  const dataDirectory = resolve(flags.text('data-dir'));
  const address = publicAddress(flags, networkInterfaces);
  const images = {
    imagesDirectory: resolve(flags.text('images-dir') || `${dataDirectory}/images`),
    hookDirectory: resolve(flags.text('hook-dir') || `${dataDirectory}/hook`),
  };
  const tls = tlsFiles(flags);
  const http = { address: flags.text('bind-address'), port: flags.port('http-port') };
  const keys = secretsKeys(flags);
  const legacyMetadataPort = flags.number('tootles-legacy-port', [0, 65_535]);
  return {
    dataDirectory,
    store: storeSettings(flags),
    acceptLoss: flags.boolean('accept-loss'),
    ...(keys === undefined ? {} : { secretsKeys: keys }),
    logLevels: logLevelsOf(flags),
    shutdownDelayMs: flags.durationMs('shutdown-delay-duration'),
    publicIpv4: address,
    http,
    stackPorts: stackPorts(flags),
    localApiPort: flags.port('local-api-port'),
    apiAnonymous: apiAudience(flags),
    apiAnonymousHosts: flags.list('api-anonymous-hosts').map((name) => name.toLowerCase()),
    access: accessSettings(flags),
    agentAuth: agentAuthMode(flags),
    tracing: { endpoint: flags.text('otel-endpoint'), isInsecure: flags.boolean('otel-insecure') },
    journal: {
      ageKeptMs: flags.durationMs('journal-max-age'),
      recordsKept: flags.number('journal-max-records', JOURNAL_COUNT_RANGE),
      outputLinesKept: flags.number('journal-max-output-lines', JOURNAL_COUNT_RANGE),
    },
    controller: flags.boolean('enable-tink-controller'),
    referenceRules: referenceRules(flags),
    ...(tls === undefined ? {} : { https: { ...http, ...tls, port: flags.port('https-port') } }),
    ...(flags.boolean('enable-images') ? { images } : {}),
    ...(flags.boolean('enable-tootles') ? { metadata: metadataConfig(flags) } : {}),
    ...(flags.boolean('enable-tootles') && legacyMetadataPort > 0 ? { legacyMetadataPort } : {}),
    ...(flags.boolean('enable-smee')
      ? { boot: bootConfig(flags, address, { dataDirectory, ...images }) }
      : {}),
    ...(flags.boolean('enable-relay') ? { relay: relayConfig(flags) } : {}),
    gateway: gatewaySettings(flags, dataDirectory),
    registry: registryConfig(flags, dataDirectory),
    bmcConnections: bmcConnectionSettings(flags),
    bmc: bmcSettings(flags),
    serial: serialSettings(flags, dataDirectory),
    doctor: doctorSettings(flags, address),
    webConsole: flags.boolean('console-enabled'),
    logsConsoleLink: flags.boolean('console-login-link'),
    ...(flags.boolean('enable-tink-server') ? { workflows: workflowsConfig(flags, address) } : {}),
  };
}

function publicAddress(flags: FlagReader, networkInterfaces: readonly NetworkInterface[]): Ipv4 {
  if (flags.text('public-ipv4') !== '') return addressOf(flags, 'public-ipv4');
  const found = publicIpv4(networkInterfaces, flags.list('dhcp-bind-interface'));
  const parsed = found === undefined ? undefined : parseIpv4(found);
  if (parsed === undefined)
    throw new SettingsError('cannot determine the IPv4 address of this server; set it with --public-ipv4');
  return parsed;
}

function apiAudience(flags: FlagReader): ApiAudience {
  if (flags.text('api-anonymous') === 'loopback')
    throw new SettingsError(
      '--api-anonymous=loopback was removed, because forwards and proxies share the loopback address. Remove the flag. On this machine, tink and kubectl use DATA_DIR/kubeconfig',
    );
  return flags.oneOf('api-anonymous', ['none', 'everyone']);
}

function workflowsConfig(flags: FlagReader, own: Ipv4): NonNullable<Settings['workflows']> {
  const tls = tlsFiles(flags);
  return {
    address: flags.text('tink-server-bind-addr') || flags.text('bind-address'),
    port: flags.port('tink-server-bind-port'),
    provisioning: {
      namespace: flags.text('provisioning-namespace'),
      audience: apiAudience(flags),
    },
    ...(tls === undefined ? {} : { tls }),
    ...enrollmentSettings(flags),
    ...agentAuthConfig(flags, [
      `http://${own}:${flags.port('http-port')}`,
      ...(tls === undefined ? [] : [`https://${own}:${flags.port('https-port')}`]),
    ]),
  };
}

function referenceRules(flags: FlagReader): ReferenceRules {
  const parsed = parseReferenceRules({
    deny: flags.text('tink-controller-reference-deny-list-rules'),
    allow: flags.text('tink-controller-reference-allow-list-rules'),
  });
  if (!parsed.ok) throw new SettingsError(`--tink-controller-reference-…-list-rules: ${parsed.message}`);
  return parsed.rules;
}

function tlsFiles(flags: FlagReader): TlsFiles | undefined {
  const [certFile, keyFile] = [flags.text('tls-cert-file'), flags.text('tls-key-file')];
  if ((certFile === '') !== (keyFile === ''))
    throw new SettingsError('--tls-cert-file and --tls-key-file must be set together');
  return certFile === '' ? undefined : { certFile, keyFile };
}

function metadataConfig(flags: FlagReader): MetadataConfig {
  return {
    trustedProxies: trustedProxies(flags),
    instanceEndpoint: flags.boolean('tootles-instance-endpoint'),
    tokens: flags.oneOf('tootles-session-tokens', ['optional', 'required']),
    agentSessions: metadataAuthMode(flags),
  };
}
