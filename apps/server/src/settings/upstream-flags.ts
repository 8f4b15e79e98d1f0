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
const NO_BMC =
  'this server does not control BMCs yet; run upstream’s rufio beside it on the same Kubernetes API';
const NO_SSH = 'this server does not support serial consoles over SSH yet';
const NO_UI = 'this server has no web console yet; use tink or kubectl';
const LEADER = 'servers that share a store always elect one of them, by a Lease beside their objects';
const CONCURRENT = 'the controller reconciles all changed objects, and a slow one delays no other';

function none(name: string, type: FlagType, fallback: string, why: string): UpstreamFlag {
  return { name, type, default: fallback, why };
}

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
  none('backend-kube-qps', 'number', '100', 'the cluster limits its requests (priority and fairness)'),
  none('backend-kube-burst', 'number', '100', 'the cluster limits its requests (priority and fairness)'),
  none('disable-http-to-https-redirect', 'boolean', 'false', 'this server never redirects HTTP to HTTPS'),
  none(
    'enable-crd-migrations',
    'boolean',
    'true',
    'kinds are built in; to install them in a cluster, run tinkerbell crds apply',
  ),
  none('enable-embedded-etcd', 'boolean', 'true', NO_EMBEDDED),
  none('enable-embedded-kube-apiserver', 'boolean', 'true', NO_EMBEDDED),
  none('etcd-dir', 'text', '', NO_EMBEDDED),
  none('etcd-disable-logging', 'boolean', 'false', NO_EMBEDDED),
  none('etcd-log-level', 'text', '', NO_EMBEDDED),
  none('etcd-wait-healthy-timeout', 'duration', '1m', NO_EMBEDDED),
  none('kubeapi-server-disable-logging', 'boolean', 'false', NO_EMBEDDED),
  {
    name: 'ipxe-http-script-trusted-proxies',
    type: 'list',
    default: '',
    of: 'trusted-proxies',
    why: 'same as --trusted-proxies, which overrides it, as upstream’s global flag does',
  },
  none('enable-rufio-controller', 'boolean', 'false', NO_BMC),
  none('rufio-bmc-connect-timeout', 'duration', '2m', NO_BMC),
  none('rufio-controller-enable-leader-election', 'boolean', 'false', NO_BMC),
  none('rufio-controller-leader-election-namespace', 'text', '', NO_BMC),
  none('rufio-enable-inventory-collection', 'boolean', 'true', NO_BMC),
  none('rufio-inventory-refresh-interval', 'duration', '24h', NO_BMC),
  none('rufio-log-level', 'number', '0', NO_BMC),
  none('rufio-max-concurrent-reconciles', 'number', '1', NO_BMC),
  none('rufio-power-check-interval', 'duration', '30m', NO_BMC),
  none('enable-secondstar', 'boolean', 'false', NO_SSH),
  none('secondstar-host-key', 'text', '', NO_SSH),
  none('secondstar-idle-timeout', 'duration', '15m', NO_SSH),
  none('secondstar-ipmitool-path', 'text', '', NO_SSH),
  none('secondstar-log-level', 'number', '0', NO_SSH),
  none('secondstar-port', 'number', '2222', NO_SSH),
  none('enable-ui', 'boolean', 'false', NO_UI),
  none('ui-debug-mode', 'boolean', 'false', NO_UI),
  none('ui-enable-auto-login', 'boolean', 'false', NO_UI),
  none('ui-log-level', 'number', '0', NO_UI),
  none('ui-url-prefix', 'text', '/', NO_UI),
  none('tink-controller-enable-leader-election', 'boolean', 'false', LEADER),
  none('tink-controller-leader-election-namespace', 'text', '', LEADER),
  none('tink-controller-max-concurrent-reconciles', 'number', '1', CONCURRENT),
  none('tootles-debug-mode', 'boolean', 'false', '--tootles-log-level 1 logs metadata requests'),
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
