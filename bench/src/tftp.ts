import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { randomNumbers } from './disk-image.ts';
import { createNetwork, type NetworkNamespace } from './network-namespace.ts';
import { alternate, median } from './rounds.ts';
import { mustRun, needProgram, processorSeconds, startProgram, untilReady } from './running-program.ts';
import type { TftpLoad } from './tftp-client.ts';
import { startTinkerbell } from './tinkerbell-server.ts';

const CLIENT_MAIN = fileURLToPath(new URL('tftp-client.ts', import.meta.url));
const FILE = 'boot-file';
const FILE_BYTES = 1024 * 1024;
/** Downloads of one measurement, whatever the number of clients. */
const DOWNLOADS = { 1: 50, 50: 400 } as const;

/** Goals are against tftpd-hpa, the usual server; it knows no windows and answers with blocks one by one. */
const CASES = [
  { windowSize: 1, clients: 1 },
  { windowSize: 1, clients: 50 },
  { windowSize: 16, clients: 1 },
  { windowSize: 16, clients: 50 },
] as const;

export const tftpBenchmark: Benchmark = {
  name: 'tftp',
  summary:
    'a file of 1 MiB by TFTP in blocks of 1,468 bytes, 1 and 50 clients at once; beside tftpd-hpa and dnsmasq',
  async run(context) {
    const servers = await startServers(context);
    const rows: Row[] = [];
    for (const one of CASES) {
      const measured = (name: keyof typeof servers) => () => measure(context, servers[name], one);
      const rounds = context.quick ? 1 : 3;
      const found = await alternate(rounds, {
        ours: measured('ours'),
        tftpdHpa: measured('tftpdHpa'),
        dnsmasq: measured('dnsmasq'),
      });
      rows.push(...rowsOf(one, found));
      context.say(`window ${one.windowSize}, ${one.clients} clients: ${JSON.stringify(found)}`);
    }
    return rows;
  },
};

/** All three listen on port 69, each on an address of its own. */
interface Server {
  readonly network: NetworkNamespace;
  readonly address: string;
  readonly pid: number;
}

async function startServers(context: BenchContext) {
  const [oursAddress, tftpdHpaAddress, dnsmasqAddress] = ['10.199.0.1', '10.199.0.2', '10.199.0.3'] as const;
  // Not 127.0.0.0/8: tftpd-hpa does not listen where those are the only addresses.
  const network = await createNetwork(context, [oursAddress, tftpdHpaAddress, dnsmasqAddress]);
  const root = join(context.directory, 'files');
  mkdirSync(root);
  const random = randomNumbers(1);
  writeFileSync(
    join(root, FILE),
    Uint8Array.from({ length: FILE_BYTES }, () => random() & 0xff),
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

type Load = Pick<TftpLoad, 'windowSize' | 'clients' | 'repeats'>;

interface Measured {
  readonly megabytesPerSecond: number;
  readonly processorSecondsPerGigabyte: number;
  readonly resent: number;
}

async function measure(
  context: BenchContext,
  server: Server,
  { windowSize, clients }: (typeof CASES)[number],
): Promise<Measured> {
  const downloads = context.quick ? DOWNLOADS[clients] / 4 : DOWNLOADS[clients];
  const repeats = Math.ceil(downloads / clients);
  const before = processorSeconds(server.pid);
  const { seconds, resent } = await runLoad(context, server, { windowSize, clients, repeats });
  const used = processorSeconds(server.pid) - before;
  const bytes = clients * repeats * FILE_BYTES;
  return {
    megabytesPerSecond: bytes / 1e6 / seconds,
    processorSecondsPerGigabyte: used / (bytes / 1e9),
    resent,
  };
}

async function runLoad(
  context: BenchContext,
  { network, address }: Server,
  load: Load,
): Promise<{ seconds: number; resent: number }> {
  const request: TftpLoad = { address, file: FILE, bytes: FILE_BYTES, ...load };
  const command = [process.execPath, CLIENT_MAIN, JSON.stringify(request)] as const;
  const run = await mustRun(context, { command: [...command], network });
  return JSON.parse(run.output.trim().split('\n').at(-1) ?? '') as { seconds: number; resent: number };
}

async function answers(context: BenchContext, server: Server): Promise<boolean> {
  return runLoad(context, server, { windowSize: 1, clients: 1, repeats: 1 }).then(
    () => true,
    () => false,
  );
}

type Found = Readonly<Record<'ours' | 'tftpdHpa' | 'dnsmasq', readonly Measured[]>>;

function rowsOf({ windowSize, clients }: (typeof CASES)[number], found: Found): Row[] {
  const of = (name: keyof Found, field: keyof Measured) => median(found[name].map((one) => one[field]));
  const row = {
    name: `window ${windowSize}, ${clients} client${clients === 1 ? '' : 's'}`,
    value: of('ours', 'megabytesPerSecond'),
    unit: 'MB/s',
    better: 'higher',
  } as const;
  return [
    rowOf({
      ...row,
      peer: { name: 'tftpd-hpa', value: of('tftpdHpa', 'megabytesPerSecond') },
      goal: { ratio: 1 },
    }),
    rowOf({ ...row, peer: { name: 'dnsmasq', value: of('dnsmasq', 'megabytesPerSecond') } }),
    rowOf({
      // A child of tftpd-hpa for each transfer: its time is not to be had.
      name: `${row.name}, processor time`,
      value: of('ours', 'processorSecondsPerGigabyte'),
      unit: 's/GB',
      better: 'lower',
      peer: { name: 'dnsmasq', value: of('dnsmasq', 'processorSecondsPerGigabyte') },
    }),
  ];
}
