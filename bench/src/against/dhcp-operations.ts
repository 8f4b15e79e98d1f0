import { DHCP_ONLY } from '../dhcp-subjects.ts';
import { NETWORK } from '../machines.ts';
import { createLink } from '../network-namespace.ts';
import { measure } from '../perfdhcp.ts';
import { residentMegabytes } from '../running-program.ts';
import { startTinkerbell } from '../tinkerbell-server.ts';
import type { StartOperations } from './operation.ts';
import { siteOf } from './site.ts';

const RESERVATIONS = 10_000;
/** 14,000 replies a second. */
const LOAD = { rate: 7000, seconds: 3 };

export const startDhcpOperations: StartOperations = async (context, checkout) => {
  const dataDirectory = await siteOf(context, checkout, RESERVATIONS);
  const link = await createLink(context);
  const program = await startTinkerbell(context, {
    dataDirectory,
    checkout,
    network: link.server,
    flags: [
      `--public-ipv4=${link.serverAddress}`,
      `--dhcp-bind-interface=${link.serverInterface}`,
      ...DHCP_ONLY,
    ],
  });
  const subject = { name: `${checkout} at ${NETWORK.subnet}`, link, program };
  return [
    {
      name: `DHCP exchange at ${LOAD.rate}/s`,
      unit: 'us',
      measure: async () => (await measure(context, subject, LOAD)).processorMicroseconds,
    },
    {
      name: `resident memory after DHCP at ${LOAD.rate}/s`,
      unit: 'MB',
      measure: async () => {
        await measure(context, subject, LOAD);
        return residentMegabytes(program.pid);
      },
    },
  ];
};
