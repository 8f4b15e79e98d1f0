/** The Workflows of one machine. */
import { workflowKind, type Hardware, type Workflow } from '@tinkerbell/resources';
import type { Session } from '../client/session.ts';
import { TinkFailure } from '../failure.ts';

const ENDED = ['SUCCESS', 'FAILED', 'TIMEOUT'];

/** Newest first. */
export async function workflowsOf(
  { client, namespace }: Session,
  hardware: Hardware,
): Promise<readonly Workflow[]> {
  const { items } = await client.list(workflowKind, { namespace });
  return items
    .filter(({ spec }) => spec?.hardwareRef === hardware.metadata.name)
    .toSorted((one, other) => createdAt(other).localeCompare(createdAt(one)));
}

function createdAt({ metadata }: Workflow): string {
  return metadata.creationTimestamp ?? '';
}

/** Throws a TinkFailure with advice. */
export function refuseUnfinished(workflows: readonly Workflow[]): void {
  const busy = workflows.find(
    ({ status, spec }) => !ENDED.includes(status?.state ?? '') && spec?.disabled !== true,
  );
  if (busy === undefined) return;
  const { name } = busy.metadata;
  throw new TinkFailure(
    `workflow/${name} of this machine has not ended; it is ${busy.status?.state || 'not started'}`,
    {
      advice: `watch it with "tink workflow events ${name} -w", or end it with "tink workflow cancel ${name}"`,
    },
  );
}
