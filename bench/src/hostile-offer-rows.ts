/** What the clients of DHCP wait for an offer beside hostile ones, from ours and from others. */
import { fileURLToPath } from 'node:url';

import type { BenchContext, Row } from './benchmark.ts';
import { startDhcpServer, startKea, startMinimal, type Subject } from './dhcp-subjects.ts';
import {
  AS_ANOTHER_MACHINE,
  delaysOf,
  explainedRows,
  HOSTILE_CLIENTS,
  type Delays,
} from './hostile-delays.ts';
import { MINIMAL_DHCP } from './minimal-dhcp.ts';
import { offerDelays } from './perfdhcp.ts';

const OFFERS_PER_SECOND = 2000;
const HOSTILE_PACKETS_PER_SECOND = 20;
const PACKETS_PROGRAM = fileURLToPath(new URL('hostile-packets-program.ts', import.meta.url));
const NAME = `DISCOVER to OFFER at ${OFFERS_PER_SECOND}/s`;

export async function offerRows(context: BenchContext): Promise<readonly Row[]> {
  const ours = await delaysOfOffers(context, NAME, await startDhcpServer(context));
  const minimal = await delaysOfOffers(context, `${NAME}, a minimal program`, await startMinimal(context));
  const kea = await delaysOfOffers(context, `${NAME}, Kea`, await startKea(context));
  return explainedRows(NAME, ours, {
    minimal: { name: MINIMAL_DHCP, delays: minimal },
    peer: { name: 'Kea', delays: kea },
  });
}

/**
 * The hostile ones send packets of machines that do not exist, of one machine again and again, and damaged ones. Stops the server at the
 * end.
 */
async function delaysOfOffers(context: BenchContext, name: string, subject: Subject): Promise<Delays> {
  const { serverAddress, client } = subject.link;
  const numbers = [HOSTILE_CLIENTS, HOSTILE_PACKETS_PER_SECOND].map(String);
  const delays = await delaysOf(context, {
    name,
    hostile: {
      command: [...AS_ANOTHER_MACHINE, process.execPath, PACKETS_PROGRAM, serverAddress, ...numbers],
      network: client,
    },
    pid: subject.program.pid,
    p99: async () => (await offerDelays(context, subject, OFFERS_PER_SECOND)).offerP99Milliseconds,
  });
  await subject.program.stop();
  return delays;
}
