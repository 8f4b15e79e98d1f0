/** An operator's consent to a discovered machine: the annotation that enrollment waits for. */
import { APPROVAL_ANNOTATION, APPROVED } from '@tinkerbell/enrollment';
import { hardwareKind, type Resource } from '@tinkerbell/resources';
import { TinkFailure } from '../failure.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { ApiFailure } from '../client/server-failure.ts';
import type { Session } from '../client/session.ts';
import { named } from '../client/named.ts';

/** The server writes attributes into the same object; each try reads it anew. */
const TRIES = 5;

/** Says what happened to each; one that is approved stays so. */
export async function approveHardware(session: Session, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const isNew = await approveOne(session, (await named(session, hardwareKind, name)).name);
    session.terminal.out(`hardware/${name} ${isNew ? 'approved' : 'is approved already'}\n`);
  }
}

async function approveOne({ client, namespace }: Session, name: string): Promise<boolean> {
  const target = { kind: hardwareKind, namespace, name };
  for (let tries = 1; ; tries++) {
    const current = await withCloseNames(client, target, () => client.get(target));
    const approval = current.metadata.annotations?.[APPROVAL_ANNOTATION];
    if (approval === APPROVED) return false;
    if (approval === undefined) throw waitsForNothing(name);
    try {
      await client.replace(hardwareKind, approved(current));
      return true;
    } catch (thrown) {
      const isConflict = thrown instanceof ApiFailure && thrown.code === 409;
      if (!isConflict || tries === TRIES) throw thrown;
    }
  }
}

function approved(hardware: Resource): Resource {
  const { metadata } = hardware;
  const annotations = { ...metadata.annotations, [APPROVAL_ANNOTATION]: APPROVED };
  return { ...hardware, metadata: { ...metadata, annotations } };
}

function waitsForNothing(name: string): TinkFailure {
  return new TinkFailure(`hardware/${name} does not wait for approval`, {
    advice: 'only machines that were discovered with --tink-server-auto-discovery-approval do',
  });
}
