/**
 * Flags of upstream's server that have no effect of their own here, so that its command lines, environments and Helm values also start
 * this server. Each is accepted, mapped to one of our flags, or rejected with the alternative. `docs/reference/server.md` has the table.
 */
import type { Flag, FlagType } from './flag.ts';
import type { FlagValues } from './parse-flags.ts';
import { SettingsError } from './settings-error.ts';

interface UpstreamFlag {
  readonly name: string;
  readonly type: FlagType;
  /** Upstream's default. A flag with this value requests nothing. */
  readonly default: string;
  /** Why the flag has no effect; for the user. */
  readonly why: string;
  /** Our flag that gets its value. */
  readonly of?: string;
  /** Maps values to values of `of`. Values that map to undefined are rejected with `why`. */
  readonly values?: Readonly<Record<string, string>>;
  /** Rejects the start for a value other than the default. */
  readonly isRefused?: boolean;
}

const NO_EMBEDDED =
  'objects are stored in one SQLite file; there is no etcd and no kube-apiserver to configure';
const NO_IPMITOOL = 'this server speaks IPMI itself and starts no ipmitool';
const NO_UI = 'this server has a web console of its own; see --console-enabled';
const LEADER = 'servers that share a store always elect one of them, by a Lease beside their objects';
const CONCURRENT = 'the controller reconciles all changed objects, and a slow one delays no other';

export const upstreamFlags: readonly UpstreamFlag[] = [
  {
    name: 'backend',
    type: 'text',
    default: '',
    of: 'store',
    values: { kube: 'kubernetes', none: 'memory' },
    why: 'same as --store: kube is kubernetes, none is memory; import the objects of a file once with tink apply -f',
  },
  {
    name: 'backend-file-path',
    type: 'text',
    default: '',
    isRefused: true,
    why: 'objects are not read from a file at every start; import them once with tink apply -f into the default store',
  },
  {
    name: 'backend-kube-config',
    type: 'text',
    default: '',
    of: 'kubeconfig',
    why: 'same as --kubeconfig',
  },
  {
    name: 'backend-kube-namespace',
    type: 'text',
    default: '',
    isRefused: true,
    why: 'this server watches all namespaces; roles define who may use which',
  },
  {
    name: 'backend-kube-qps',
    type: 'number',
    default: '100',
    why: 'the cluster limits its requests (priority and fairness)',
  },
  {
    name: 'backend-kube-burst',
    type: 'number',
    default: '100',
    why: 'the cluster limits its requests (priority and fairness)',
  },
  {
    name: 'disable-http-to-https-redirect',
    type: 'boolean',
    default: 'false',
    why: 'this server never redirects HTTP to HTTPS',
  },
  {
    name: 'enable-crd-migrations',
    type: 'boolean',
    default: 'true',
    why: 'kinds are built in; to install them in a cluster, run tinkerbell crds apply',
  },
  { name: 'enable-embedded-etcd', type: 'boolean', default: 'true', why: NO_EMBEDDED },
  { name: 'enable-embedded-kube-apiserver', type: 'boolean', default: 'true', why: NO_EMBEDDED },
  { name: 'etcd-dir', type: 'text', default: '', why: NO_EMBEDDED },
  { name: 'etcd-disable-logging', type: 'boolean', default: 'false', why: NO_EMBEDDED },
  { name: 'etcd-log-level', type: 'text', default: '', why: NO_EMBEDDED },
  { name: 'etcd-wait-healthy-timeout', type: 'duration', default: '1m', why: NO_EMBEDDED },
  { name: 'kubeapi-server-disable-logging', type: 'boolean', default: 'false', why: NO_EMBEDDED },
  {
    name: 'ipxe-http-script-trusted-proxies',
    type: 'list',
    default: '',
    of: 'trusted-proxies',
    why: 'same as --trusted-proxies, which overrides it, as upstream’s global flag does',
  },
  { name: 'rufio-controller-enable-leader-election', type: 'boolean', default: 'false', why: LEADER },
  { name: 'rufio-controller-leader-election-namespace', type: 'text', default: '', why: LEADER },
  { name: 'secondstar-ipmitool-path', type: 'text', default: '', why: NO_IPMITOOL },
  { name: 'enable-ui', type: 'boolean', default: 'false', why: NO_UI },
  { name: 'ui-debug-mode', type: 'boolean', default: 'false', why: NO_UI },
  { name: 'ui-enable-auto-login', type: 'boolean', default: 'false', why: NO_UI },
  { name: 'ui-log-level', type: 'number', default: '0', why: NO_UI },
  { name: 'ui-url-prefix', type: 'text', default: '/', why: NO_UI },
  { name: 'tink-controller-enable-leader-election', type: 'boolean', default: 'false', why: LEADER },
  { name: 'tink-controller-leader-election-namespace', type: 'text', default: '', why: LEADER },
  { name: 'tink-controller-max-concurrent-reconciles', type: 'number', default: '1', why: CONCURRENT },
  {
    name: 'tootles-debug-mode',
    type: 'boolean',
    default: 'false',
    why: '--tootles-log-level 1 logs metadata requests',
  },
];

/** All of these flags, for parsing, help and reference. */
export function asFlags(rows: readonly UpstreamFlag[]): readonly Flag[] {
  return rows.map((row) => ({
    name: row.name,
    type: row.type,
    group: "Upstream's flags without their own effect",
    default: row.default,
    fallback: '',
    help: row.why,
  }));
}

export interface Translated {
  readonly values: FlagValues;
  /** Log notes about given flags that have no effect. */
  readonly notes: readonly string[];
}

/** Translates upstream's flags to ours. Values given for our flags take precedence. @throws SettingsError */
export function translated(given: FlagValues): Translated {
  const values = new Map(given);
  const notes: string[] = [];
  for (const row of upstreamFlags) {
    const value = given.get(row.name);
    if (value === undefined || value === row.default) continue;
    if (row.of === undefined) {
      if (row.isRefused === true) throw refused(row, value);
      notes.push(`--${row.name} has no effect: ${row.why}`);
      continue;
    }
    const own = row.values === undefined ? value : row.values[value];
    if (own === undefined) throw refused(row, value);
    if (!values.has(row.of)) values.set(row.of, own);
  }
  return { values, notes };
}

function refused({ name, why }: UpstreamFlag, value: string): SettingsError {
  return new SettingsError(`--${name} does not support ${JSON.stringify(value)}: ${why}`);
}
