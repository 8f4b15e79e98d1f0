/** A metadata service with fixed Hardware, a recording journal and a clock that the test sets. */
import type { Log, Service, SessionVerifier } from '@tinkerbell/platform-contract';
import type { Hardware, HardwareSpec } from '@tinkerbell/resources';
import type { JournalEntry, View } from '@tinkerbell/store-contract';
import { createMetadataService, type MetadataConfig } from '../index.ts';

export const MACS = ['52:54:00:12:34:56', '52:54:00:12:34:57'] as const;
export const ADDRESSES = ['192.168.77.10', '192.168.77.11'] as const;

export function machine(index: 0 | 1, spec: HardwareSpec = {}, address: string = ADDRESSES[index]): Hardware {
  const ip = { address, netmask: '255.255.255.0', gateway: '192.168.77.1', family: 4 };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: `machine${index}`, namespace: 'default' },
    spec: {
      userData: `#cloud-config\nhostname: machine${index}\n`,
      vendorData: '#cloud-config\n{}\n',
      interfaces: [{ dhcp: { mac: MACS[index], iface_name: 'eno1', name_servers: ['192.168.77.1'], ip } }],
      metadata: {
        facility: { facility_code: 'ams1', plan_slug: 'c3' },
        instance: { id: `i-${index}`, hostname: `machine${index}`, ssh_keys: ['ssh-ed25519 AAAA op@desk'] },
      },
      ...spec,
    },
  };
}

export function fixedView(hardware: readonly Hardware[], isReady = true): View {
  const has = (one: Hardware, isWanted: (dhcp: { mac?: string; ip?: { address?: string } }) => boolean) =>
    (one.spec?.interfaces ?? []).some(({ dhcp }) => isWanted(dhcp ?? {}));
  return {
    hardwareByMac: (mac) => hardware.filter((one) => has(one, (dhcp) => dhcp.mac === mac)),
    hardwareByIp: (address) => hardware.filter((one) => has(one, ({ ip }) => ip?.address === address)),
    hardwareByAgent: (agentId) => hardware.filter(({ spec }) => spec?.agentID === agentId),
    hardwareByInstanceId: (id) => hardware.filter(({ spec }) => spec?.metadata?.instance?.id === id),
    hardwareNamed: () => undefined,
    templateNamed: () => undefined,
    workflowNamed: () => undefined,
    bmcMachineNamed: () => undefined,
    workflowsByAgent: () => [],
    workflowsByHardware: () => [],
    all: () => [],
    onChange: () => () => {},
    ready: () => isReady,
  };
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};

export interface AskOptions {
  readonly peer?: string;
  readonly method?: string;
  readonly headers?: Record<string, string> | [string, string][];
  readonly body?: string | URLSearchParams;
}

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface Rack {
  readonly service: Service;
  readonly journal: readonly JournalEntry[];
  readonly clock: { nowMs: number };
  /** Returns the answer of the first route that takes the path, and status 0 when none does. */
  readonly ask: (path: string, options?: AskOptions) => Promise<Told>;
}

export function startRack(
  options: {
    agentSessions?: SessionVerifier;
    config?: Partial<MetadataConfig>;
    hardware?: readonly Hardware[];
    isReady?: boolean;
  } = {},
): Rack {
  const journal: JournalEntry[] = [];
  const clock = { nowMs: 1000 };
  let last = 0;
  const service = createMetadataService(
    {
      view: fixedView(options.hardware ?? [machine(0), machine(1)], options.isReady),
      journal: {
        append: (entry) => void journal.push(entry),
        read: async () => [],
        follow: () => () => {},
        close: async () => {},
        [Symbol.asyncDispose]: async () => {},
      },
      clock: { nowMs: () => clock.nowMs, monotonicMs: () => clock.nowMs, schedule: () => () => {} },
      random: { bytes: (count) => new Uint8Array(count).fill((last += 1)), fraction: () => 0.5 },
      log: silentLog,
      ...(options.agentSessions === undefined ? {} : { agentSessions: options.agentSessions }),
    },
    {
      trustedProxies: [],
      instanceEndpoint: false,
      tokens: 'optional',
      agentSessions: 'optional',
      ...options.config,
    },
  );
  return {
    service,
    journal,
    clock,
    async ask(path, { peer = ADDRESSES[0], method = 'GET', headers = {}, body } = {}) {
      const request = new Request(`http://192.168.77.1:7080${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      const context = {
        peer: { address: peer, port: 40_000 },
        localAddress: '192.168.77.1',
        signal: request.signal,
      };
      for (const route of service.routes.filter(({ prefix }) => path.startsWith(prefix))) {
        const response = await route.handle(request, context);
        if (response === undefined) continue;
        return { status: response.status, headers: response.headers, body: await response.text() };
      }
      return { status: 0, headers: new Headers(), body: '' };
    },
  };
}
