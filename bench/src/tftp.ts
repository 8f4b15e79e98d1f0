import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EXPLAINS, rowOf, type BenchContext, type Benchmark, type Goal, type Row } from './benchmark.ts';
import { randomNumbers } from './disk-image.ts';
import { createNetwork, type NetworkNamespace } from './network-namespace.ts';
import { alternate, median } from './rounds.ts';
import {
  findProgram,
  mustRun,
  needProgram,
  processorSeconds,
  startProgram,
  untilReady,
} from './running-program.ts';
import { compiledProgram } from './compiled-program.ts';
import { unpackedProgram } from './unpacked-program.ts';
import { startTinkerbell } from './tinkerbell-server.ts';

const CLIENT_SOURCE = fileURLToPath(new URL('tftp-client.c', import.meta.url));
export const BOOT_FILE = { name: 'boot-file', bytes: 1024 * 1024 } as const;
/** The number of short measurements, so that a slow second of the machine affects all. */
const ROUNDS = 9;
const WARM_UP_DOWNLOADS = 50;

/** Where no other server accepts a window (tftpd-hpa, dnsmasq 2.90), the comparison is with single blocks. */
export const CASES = [
  { windowSize: 1, clients: 1, downloads: 20 },
  { windowSize: 1, clients: 50, downloads: 150 },
  { windowSize: 16, clients: 1, downloads: 100 },
  { windowSize: 16, clients: 50, downloads: 400 },
] as const;

export const tftpBenchmark: Benchmark = {
  name: 'tftp',
  summary:
    'a file of 1 MiB by TFTP in blocks of 1,468 bytes, 1 and 50 clients at once; beside tftpd-hpa, atftpd and dnsmasq',
  async run(context) {
    const servers = await startServers(context);
    // Servers run for months, so none is measured while it compiles its code or reads the file for the first
    // time.
    for (const server of Object.values(servers)) {
      for (const { windowSize, clients } of CASES)
        await runLoad(context, server, { windowSize, clients, repeats: WARM_UP_DOWNLOADS / clients });
    }
    const rows: Row[] = [];
    for (const one of CASES) {
      const measured = (name: keyof typeof servers) => () => measure(context, servers[name], one);
      const found = await alternate(context.quick ? 1 : ROUNDS, {
        ours: measured('ours'),
        tftpdHpa: measured('tftpdHpa'),
        atftpd: measured('atftpd'),
        dnsmasq: measured('dnsmasq'),
      });
      rows.push(...rowsOf(one, found));
      context.say(`window ${one.windowSize}, ${one.clients} clients: ${JSON.stringify(found)}`);
    }
    return rows;
  },
};

/** All listen on port 69, each on its own address. */
interface Server {
  readonly network: NetworkNamespace;
  readonly address: string;
  readonly pid: number;
}

async function startServers(context: BenchContext) {
  // Not 127.0.0.0/8, because tftpd-hpa does not listen where those are the only addresses.
  const [oursAddress, ...peerAddresses] = ['10.199.0.1', '10.199.0.2', '10.199.0.3', '10.199.0.4'] as const;
  const [tftpdHpaAddress, dnsmasqAddress, atftpdAddress] = peerAddresses;
  const network = await createNetwork(context, [oursAddress, ...peerAddresses]);
  const root = join(context.directory, 'files');
  mkdirSync(root);
  const random = randomNumbers(1);
  writeFileSync(
    join(root, BOOT_FILE.name),
    Uint8Array.from({ length: BOOT_FILE.bytes }, () => random() & 0xff),
  );
  const ours = await startTinkerbell(context, {
    dataDirectory: join(context.directory, 'data'),
    network,
    flags: [
      `--public-ipv4=${oursAddress}`,
      `--bind-address=${oursAddress}`,
      '--dhcp-enabled=false',
      `--tftp-asset-dir=${root}`,
    ],
  });
  const peer = async (address: string, command: [string, ...string[]]): Promise<Server> => {
    const program = startProgram(context, { command, network });
    const server = { network, address, pid: program.pid };
    await untilReady(program, () => answers(context, server));
    return server;
  };
  return {
    ours: { network, address: oursAddress, pid: ours.pid },
    tftpdHpa: await peer(tftpdHpaAddress, tftpdHpaCommand(tftpdHpaAddress, root)),
    atftpd: await peer(atftpdAddress, await atftpdCommand(context, atftpdAddress, root)),
    dnsmasq: await peer(dnsmasqAddress, dnsmasqCommand(dnsmasqAddress, root)),
  };
}

function tftpdHpaCommand(address: string, root: string): [string, ...string[]] {
  const program = needProgram('in.tftpd', 'tftpd-hpa');
  return [
    program,
    '--listen',
    '--foreground',
    '--user',
    'root',
    '--address',
    `${address}:69`,
    '--secure',
    root,
  ];
}

async function atftpdCommand(
  context: BenchContext,
  address: string,
  root: string,
): Promise<[string, ...string[]]> {
  const program = findProgram('atftpd') ?? (await unpackedProgram(context, 'atftpd', 'usr/sbin/atftpd'));
  const asRoot = ['--user', 'root', '--group', 'root'];
  const where = ['--bind-address', address, '--port', '69', '--maxthread', '200', '--logfile', '/dev/null'];
  return [program, '--daemon', '--no-fork', ...asRoot, ...where, root];
}

function dnsmasqCommand(address: string, root: string): [string, ...string[]] {
  return [
    needProgram('dnsmasq', 'dnsmasq-base'),
    '--keep-in-foreground',
    '--conf-file=/dev/null',
    '--port=0',
    '--user=root',
    '--pid-file',
    '--enable-tftp',
    `--tftp-root=${root}`,
    '--tftp-max=1000',
    `--listen-address=${address}`,
    '--bind-interfaces',
    '--log-facility=-',
  ];
}

interface Load {
  readonly windowSize: number;
  readonly clients: number;
  /** How often each client downloads the file. */
  readonly repeats: number;
}

interface ClientReport {
  readonly seconds: number;
  readonly resent: number;
  /**
   * The share of its polls of a socket that found nothing, 0 to 1. Near 0, the client was measured and not
   * the server.
   */
  readonly lookedInVain: number;
}

interface Measured extends Omit<ClientReport, 'seconds'> {
  readonly megabytesPerSecond: number;
  readonly processorSecondsPerGigabyte: number;
}

export async function measure(
  context: BenchContext,
  server: Server,
  { windowSize, clients, downloads }: (typeof CASES)[number],
): Promise<Measured> {
  const repeats = downloads / clients;
  const before = processorSeconds(server.pid);
  const { seconds, ...counted } = await runLoad(context, server, { windowSize, clients, repeats });
  const used = processorSeconds(server.pid) - before;
  const bytes = clients * repeats * BOOT_FILE.bytes;
  return {
    megabytesPerSecond: bytes / 1e6 / seconds,
    processorSecondsPerGigabyte: used / (bytes / 1e9),
    ...counted,
  };
}

async function runLoad(
  context: BenchContext,
  { network, address }: Server,
  load: Load,
): Promise<ClientReport> {
  const client = await compiledProgram(context, CLIENT_SOURCE);
  const { windowSize, clients, repeats } = load;
  const settings = [BOOT_FILE.bytes, windowSize, clients, repeats].map(String);
  const run = await mustRun(context, { command: [client, address, BOOT_FILE.name, ...settings], network });
  return JSON.parse(run.output.trim().split('\n').at(-1) ?? '') as ClientReport;
}

async function answers(context: BenchContext, server: Server): Promise<boolean> {
  return runLoad(context, server, { windowSize: 1, clients: 1, repeats: 1 }).then(
    () => true,
    () => false,
  );
}

const PEERS = { tftpdHpa: 'tftpd-hpa', atftpd: 'atftpd', dnsmasq: 'dnsmasq' } as const;
type PeerName = keyof typeof PEERS;
type Found = Readonly<Record<'ours' | PeerName, readonly Measured[]>>;

function rowsOf({ windowSize, clients }: (typeof CASES)[number], found: Found): Row[] {
  const of = (name: keyof Found, field: keyof Measured) => median(found[name].map((one) => one[field]));
  const row = {
    name: `window ${windowSize}, ${clients} client${clients === 1 ? '' : 's'}`,
    value: of('ours', 'megabytesPerSecond'),
    unit: 'MB/s',
    better: 'higher',
  } as const;
  const peers = (Object.keys(PEERS) as PeerName[]).map((name) => ({
    name: PEERS[name],
    value: of(name, 'megabytesPerSecond'),
  }));
  const best = Math.max(...peers.map(({ value }) => value));
  const goal: Goal = { ratio: windowSize === 1 ? 1 : 3 };
  const slower: Goal = { none: 'another peer is faster' };
  return [
    ...peers.map((peer) => rowOf({ ...row, peer, goal: peer.value === best ? goal : slower })),
    rowOf({
      // tftpd-hpa has a child for each transfer, so its processor time is unknown.
      name: `${row.name}, processor time`,
      value: of('ours', 'processorSecondsPerGigabyte'),
      unit: 's/GB',
      better: 'lower',
      peer: { name: 'atftpd', value: of('atftpd', 'processorSecondsPerGigabyte') },
      goal: EXPLAINS,
    }),
  ];
}
