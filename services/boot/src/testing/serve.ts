/**
 * Runs a boot service as configured by the program argument (JSON), for interoperability tests that need it in its own network
 * namespace. Prints `ready`, then the journal, one JSON record per line.
 */
import { parseAddressPool } from '@tinkerbell/netboot';
import { createNodeAddressProbe, createNodeHttp, nodeLinkLayer } from '@tinkerbell/platform-node';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { defaultTftpCaps } from '../index.ts';
import {
  createMemoryBook,
  fixedView,
  furtherMachine,
  machine,
  rackConfig,
  silentLog,
  startRack,
  workflow,
} from './rack.ts';
import type { ServeOptions } from './service-process.ts';
import { startDhcpThread } from './start-dhcp-thread.ts';

const input = JSON.parse(process.argv[2] ?? '{}') as ServeOptions;
const { netboot = {}, leaseSeconds = 3600, address } = input;
const ip = address === undefined ? {} : { address };
const view = fixedView(
  [
    ...(input.isEmpty === true ? [] : [machine({ netboot, ip, leaseSeconds })]),
    ...Array.from({ length: input.furtherMachines ?? 0 }, (_, index) => furtherMachine(index)),
  ],
  input.workflowState === undefined ? [] : [workflow(input.workflowState)],
);
const base = rackConfig();
const pool = input.pool === undefined ? undefined : parseAddressPool(input.pool);
const leases = createMemoryBook();
const probe = createNodeAddressProbe();
const rack = await startRack(
  {
    ...base,
    netboot: {
      ...base.netboot,
      mode: input.mode ?? 'reservation',
      ...(pool?.ok ? { pools: [pool.value] } : {}),
    },
    hook: { ...base.hook, extraKernelArguments: ['console=ttyS0,115200', 'panic=-1'] },
    dhcp: { networkInterfaces: input.networkInterfaces, address: '0.0.0.0', port: 67 },
    tftp: {
      address: '0.0.0.0',
      port: 69,
      singlePort: input.singlePort,
      limits: defaultTransferLimits,
      ...defaultTftpCaps,
      assetDirectory: input.ipxeDirectory,
    },
    ipxeDirectory: input.ipxeDirectory,
  },
  {
    view,
    leases,
    probe,
    startDhcpThread,
    ...(input.watchesLink === true ? { linkLayer: nodeLinkLayer } : {}),
  },
);
rack.journal.append = (entry) => void process.stdout.write(`${JSON.stringify(entry)}\n`);
await createNodeHttp(silentLog).listen({ port: 7080 }, async (request, context) => {
  const path = new URL(request.url).pathname;
  const route = rack.service.routes.find(({ prefix }) => path.startsWith(prefix));
  return (await route?.handle(request, context)) ?? new Response('not found\n', { status: 404 });
});
process.stdout.write('ready\n');
