import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EXPLAINS, WATCHED, rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { randomNumbers } from './disk-image.ts';
import { createLink, type Link } from './network-namespace.ts';
import { mustRun, processorSeconds } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { STAGES, type StormPlan, type StormResult } from './storm-client.ts';
import { startTinkerbell } from './tinkerbell-server.ts';

const CLIENT_MAIN = fileURLToPath(new URL('storm-client.ts', import.meta.url));
const HARDWARE = 10_000;
const CLIENTS = { quick: 100, usual: 1000, full: HARDWARE } as const;
const FILE = 'ipxe.efi';
const FILE_BYTES = 1024 * 1024;
/** The clients' addresses, all behind the relay agent, which is their router too. */
const CLIENT_ADDRESSES = '10.199.0.0/17';

export const stormBenchmark: Benchmark = {
  name: 'storm',
  summary: `${CLIENTS.usual.toLocaleString('en-US')} machines switched on at once (--full: ${CLIENTS.full.toLocaleString('en-US')}): DHCP, 1 MiB by TFTP, script by HTTP`,
  async run(context) {
    const link = await createLink(context);
    await routeClients(context, link);
    const pid = await startServer(context, link);
    const most = context.full ? CLIENTS.full : CLIENTS.usual;
    const clients = context.quick ? CLIENTS.quick : most;
    const rows: Row[] = [];
    for (const isBehindNat of [false, true]) {
      // A thousand machines behind one address are many, and ten thousand have more than one.
      const count = isBehindNat ? Math.min(clients, CLIENTS.usual) : clients;
      const before = processorSeconds(pid);
      const result = await storm(context, link, { clients: count, isBehindNat });
      context.say(JSON.stringify(result));
      const name = `${count.toLocaleString('en-US')} machines${isBehindNat ? ' behind NAT' : ''}`;
      rows.push(...rowsOf(result, { name, processor: processorSeconds(pid) - before }));
    }
    return rows;
  },
};

/** The clients' namespace has the addresses of all of them, without a list. */
async function routeClients(context: BenchContext, { server, client, clientAddress }: Link): Promise<void> {
  const routes = [
    [client, ['local', CLIENT_ADDRESSES, 'dev', 'lo']],
    [server, [CLIENT_ADDRESSES, 'via', clientAddress]],
    // More specific than the range above, which contains the server.
    [client, ['10.199.0.1/32', 'dev', 'veth-client']],
  ] as const;
  for (const [network, words] of routes)
    await mustRun(context, { command: ['ip', 'route', 'add', ...words], network });
}

async function startServer(context: BenchContext, link: Link): Promise<number> {
  const dataDirectory = join(context.directory, 'tinkerbell');
  const binaries = join(context.directory, 'binaries');
  for (const directory of [dataDirectory, binaries]) mkdirSync(directory);
  const random = randomNumbers(1);
  writeFileSync(
    join(binaries, FILE),
    Uint8Array.from({ length: FILE_BYTES }, () => random() & 0xff),
  );
  context.say(`storing ${HARDWARE} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), HARDWARE);
  const server = await startTinkerbell(context, {
    dataDirectory,
    network: link.server,
    flags: [
      `--public-ipv4=${link.serverAddress}`,
      `--dhcp-bind-interface=${link.serverInterface}`,
      `--ipxe-binary-dir=${binaries}`,
    ],
  });
  return server.pid;
}

async function storm(
  context: BenchContext,
  link: Link,
  load: Pick<StormPlan, 'clients' | 'isBehindNat'>,
): Promise<StormResult> {
  const plan: StormPlan = { ...load, serverAddress: link.serverAddress, file: FILE, bytes: FILE_BYTES };
  const command = [process.execPath, '--no-warnings', CLIENT_MAIN, JSON.stringify(plan)] as const;
  const run = await mustRun(context, { command: [...command], network: link.client });
  return JSON.parse(run.output.trim().split('\n').at(-1) ?? '') as StormResult;
}

function rowsOf(
  { seconds, failures, p99Seconds }: StormResult,
  { name, processor }: { readonly name: string; readonly processor: number },
): Row[] {
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const lower = { better: 'lower', unit: 's' } as const;
  return [
    rowOf({ name: `${name}: failures`, value: failed, unit: '', better: 'lower', goal: { value: 0 } }),
    rowOf({ ...lower, name: `${name}: until all are done`, value: seconds, goal: WATCHED }),
    ...STAGES.map((stage) =>
      rowOf({ ...lower, name: `${name}: ${stage}, 99 of 100`, value: p99Seconds[stage], goal: EXPLAINS }),
    ),
    rowOf({ ...lower, name: `${name}: processor time of the server`, value: processor, goal: EXPLAINS }),
  ];
}
