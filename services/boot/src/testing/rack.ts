/** A boot service on the real platform with fixed Hardware and a recording journal, for tests in this package. */
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { AddressProbe, Clock, LinkLayer, Log } from '@tinkerbell/platform-contract';
import { nodeClock, nodeFiles, nodeUdp } from '@tinkerbell/platform-node';
import type { Journal, JournalEntry, Lease, LeaseBook, View } from '@tinkerbell/store-contract';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { ipv4 } from '@tinkerbell/wire';
import {
  createBootService,
  defaultTftpCaps,
  type BootConfig,
  type BootService,
  type StartDhcpThread,
} from '../index.ts';

export const MAC = '02:00:5e:10:00:01';

export function machine(change: { netboot?: object; ip?: object; leaseSeconds?: number } = {}): Hardware {
  const ip = { address: '192.168.77.10', netmask: '255.255.255.0', gateway: '192.168.77.1', ...change.ip };
  const dhcp = {
    mac: MAC,
    hostname: 'machine1',
    name_servers: ['192.168.77.1'],
    lease_time: change.leaseSeconds ?? 3600,
    ip,
  };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine1', namespace: 'default' },
    spec: { interfaces: [{ dhcp, netboot: { allowPXE: true, ...change.netboot } }] },
  };
}

/** Hardware of the MAC 02:00:5e:11:00:NN with the address 192.168.77.(100 + NN). */
export function furtherMachine(index: number): Hardware {
  const made = machine({ ip: { address: `192.168.77.${100 + index}` } });
  const [networkInterface] = made.spec?.interfaces ?? [];
  const mac = `02:00:5e:11:00:${index.toString(16).padStart(2, '0')}`;
  const dhcp = { ...networkInterface?.dhcp, mac };
  const metadata = { name: `further-${index}`, namespace: 'default' };
  return { ...made, metadata, spec: { interfaces: [{ ...networkInterface, dhcp }] } };
}

/** Leases of this process only. */
export function createMemoryBook(): LeaseBook {
  const book = new Map<string, Lease>();
  return {
    load: async () => [...book.values()],
    write: async (lease) => void book.set(lease.address, lease),
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

export function workflow(state: string): Workflow {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'install', namespace: 'default' },
    spec: { hardwareRef: 'machine1' },
    status: { state },
  };
}

export function fixedView(hardware: readonly Hardware[], workflows: readonly Workflow[] = []): View {
  const interfacesOf = (one: Hardware) => one.spec?.interfaces ?? [];
  return {
    hardwareByMac: (mac) => hardware.filter((one) => interfacesOf(one).some(({ dhcp }) => dhcp?.mac === mac)),
    hardwareByIp: (address) =>
      hardware.filter((one) => interfacesOf(one).some(({ dhcp }) => dhcp?.ip?.address === address)),
    hardwareByAgent: (agentId) => hardware.filter(({ spec }) => spec?.agentID === agentId),
    hardwareByInstanceId: (id) => hardware.filter(({ spec }) => spec?.metadata?.instance?.id === id),
    hardwareNamed: () => undefined,
    templateNamed: () => undefined,
    workflowNamed: () => undefined,
    bmcMachineNamed: () => undefined,
    workflowsByAgent: () => [],
    workflowsByHardware: (_, name) => workflows.filter(({ spec }) => spec?.hardwareRef === name),
    all: (collection) => (collection === 'hardware.tinkerbell.org' ? hardware : []),
    onChange: () => () => {},
    ready: () => true,
  };
}

export function recordingJournal(): Journal & { readonly entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  return {
    entries,
    append: (entry) => void entries.push(entry),
    read: async () => [],
    follow: () => () => {},
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};

export function rackConfig(change: Partial<BootConfig> = {}): BootConfig {
  const server = ipv4('192.168.77.1');
  return {
    netboot: {
      mode: 'reservation',
      serverAddress: server,
      netbootOptionsEnabled: true,
      tftp: { address: server, port: 69 },
      httpBinary: { url: 'http://192.168.77.1:7080/ipxe/binary/', address: server },
      scriptUrl: 'http://192.168.77.1:7080/ipxe/script/auto.ipxe',
      scriptUrlHasMac: true,
      macFormat: 'colon',
      architectureOverrides: new Map(),
      chainloading: 'when-needed',
      bootLocalWhenIdle: true,
    },
    hook: {
      osieUrl: 'http://192.168.77.1:7173',
      grpcAuthority: '192.168.77.1:42113',
      tls: false,
      insecureTls: false,
      extraKernelArguments: [],
      retries: 1,
      retryDelaySeconds: 1,
    },
    tftp: {
      address: '127.0.0.1',
      port: 0,
      singlePort: false,
      limits: defaultTransferLimits,
      ...defaultTftpCaps,
    },
    ipxeDirectory: '/nonexistent',
    trustedProxies: [],
    ipxePatch: '',
    routes: { binary: true, script: true },
    ...change,
  };
}

export interface Rack {
  readonly service: BootService;
  readonly journal: ReturnType<typeof recordingJournal>;
  readonly view: View;
  stop(): Promise<void>;
}

/** Opens only the sockets of `config`. Without a dhcp part nothing needs root. */
export async function startRack(
  config: BootConfig,
  options: {
    view?: View;
    clock?: Clock;
    log?: Log;
    leases?: LeaseBook;
    probe?: AddressProbe;
    linkLayer?: LinkLayer;
    startDhcpThread?: StartDhcpThread;
  } = {},
): Promise<Rack> {
  const journal = recordingJournal();
  const view = options.view ?? fixedView([machine()]);
  const { clock = nodeClock, log = silentLog, leases = createMemoryBook() } = options;
  const { probe = { holderOf: async () => undefined }, linkLayer, startDhcpThread } = options;
  const service = createBootService(
    {
      udp: nodeUdp,
      files: nodeFiles,
      clock,
      log,
      view,
      journal,
      leases,
      probe,
      ...(linkLayer === undefined ? {} : { linkLayer }),
      ...(startDhcpThread === undefined ? {} : { startDhcpThread }),
    },
    config,
  );
  const controller = new AbortController();
  await service.start(controller.signal);
  const stop = async () => {
    controller.abort();
    await service.stopped();
  };
  return { service, journal, view, stop };
}
