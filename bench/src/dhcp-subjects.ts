/** The servers whose DHCP is measured, each with a network of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BenchContext } from './benchmark.ts';
import { addressesOf, NETWORK } from './machines.ts';
import { MINIMAL_DHCP, startMinimalDhcp } from './minimal-dhcp.ts';
import { createLink, type Link } from './network-namespace.ts';
import { needProgram, startProgram, untilReady, type RunningProgram } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startTinkerbell } from './tinkerbell-server.ts';

export const RESERVATIONS = 10_000;
/** A server for DHCP alone, like Kea. */
export const DHCP_ONLY = [
  '--enable-tink-server=false',
  '--enable-tink-controller=false',
  '--enable-images=false',
  '--enable-tootles=false',
  '--tftp-server-enabled=false',
  '--syslog-enabled=false',
] as const;

export interface Subject {
  readonly name: string;
  readonly link: Link;
  readonly program: RunningProgram;
}

export async function startDhcpServer(context: BenchContext): Promise<Subject> {
  const link = await createLink(context);
  const dataDirectory = join(context.directory, 'tinkerbell');
  mkdirSync(dataDirectory);
  context.say(`storing ${RESERVATIONS} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), RESERVATIONS);
  const flags = [
    `--public-ipv4=${link.serverAddress}`,
    `--dhcp-bind-interface=${link.serverInterface}`,
    ...DHCP_ONLY,
  ];
  const options = { dataDirectory, network: link.server, flags };
  // The first start of new code fills Node's cache of compiled code, which keeps some 20 MB for it. A running
  // server does not have that.
  const first = await startTinkerbell(context, options);
  await first.stop();
  const program = await startTinkerbell(context, options);
  return { name: 'tinkerbell', link, program };
}

export async function startMinimal(context: BenchContext): Promise<Subject> {
  const link = await createLink(context);
  const program = await startMinimalDhcp(context, link, RESERVATIONS);
  return { name: MINIMAL_DHCP, link, program };
}

export async function startKea(context: BenchContext): Promise<Subject> {
  const kea = needProgram('kea-dhcp4', 'kea-dhcp4-server');
  const link = await createLink(context);
  const directory = join(context.directory, 'kea');
  mkdirSync(directory);
  const configuration = join(directory, 'kea.json');
  writeFileSync(configuration, JSON.stringify(keaConfiguration(link, directory)));
  const program = startProgram(context, {
    command: [kea, '-c', configuration],
    network: link.server,
    environment: {
      KEA_PIDFILE_DIR: directory,
      KEA_LOCKFILE_DIR: directory,
      KEA_LOGGER_DESTINATION: 'stdout',
    },
  });
  await untilReady(program, () => /DHCP4_STARTED/.test(program.output()));
  return { name: 'Kea', link, program };
}

/**
 * Configured as in its manual for reservations only: looked up by MAC, with leases in memory and in a file.
 */
function keaConfiguration(link: Link, directory: string): object {
  return {
    Dhcp4: {
      'interfaces-config': { interfaces: [link.serverInterface], 'dhcp-socket-type': 'udp' },
      'lease-database': {
        type: 'memfile',
        persist: true,
        name: join(directory, 'leases.csv'),
        'lfc-interval': 0,
      },
      'host-reservation-identifiers': ['hw-address'],
      'valid-lifetime': 86_400,
      // Its log passes through a pipe to this program, so it must not log packets. `dhcp4` logs the start. A damaged packet, and a refusal
      // that it cannot broadcast, are errors of their own.
      loggers: [
        { name: 'kea-dhcp4', severity: 'FATAL', output_options: [{ output: 'stdout' }] },
        { name: 'kea-dhcp4.dhcp4', severity: 'INFO', output_options: [{ output: 'stdout' }] },
      ],
      subnet4: [
        {
          subnet: NETWORK.subnet,
          'reservations-global': false,
          'reservations-in-subnet': true,
          'reservations-out-of-pool': true,
          'option-data': [
            { name: 'routers', data: NETWORK.gateway },
            { name: 'domain-name-servers', data: '10.199.0.1' },
          ],
          reservations: Array.from({ length: RESERVATIONS }, (_, index) => {
            const { mac, address } = addressesOf(index);
            return { 'hw-address': mac, 'ip-address': address, hostname: `machine-${index}` };
          }),
        },
      ],
    },
  };
}
