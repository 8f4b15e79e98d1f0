import { bmcReport, type BmcReport } from '@tinkerbell/bmc';
import { bmcMachineKind, bmcTaskKind } from '@tinkerbell/resources';
import type { Session } from '../client/session.ts';
import type { ChosenMachine } from './chosen-machines.ts';

/** What of each BMC works, as the server knows it. */
export async function reportsOf(
  session: Session,
  machines: readonly ChosenMachine[],
): Promise<readonly BmcReport[]> {
  const tasks = new Map<string, Awaited<ReturnType<typeof tasksIn>>>();
  const reports: BmcReport[] = [];
  for (const { hardware, bmc } of machines) {
    const { namespace } = hardware.metadata;
    const machine = await session.client.get({ kind: bmcMachineKind, namespace, name: bmc });
    const known = tasks.get(namespace) ?? (await tasksIn(session, namespace));
    tasks.set(namespace, known);
    reports.push(bmcReport({ machine, hardware, tasks: known }));
  }
  return reports;
}

async function tasksIn({ client }: Session, namespace: string) {
  return (await client.list(bmcTaskKind, { namespace })).items;
}
