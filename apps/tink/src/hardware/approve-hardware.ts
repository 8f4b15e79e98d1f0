/** Sets the annotation that approves a discovered machine. Enrollment waits for it. */
import { APPROVAL_ANNOTATION, APPROVED } from '@tinkerbell/enrollment';
import { hardwareKind, type Resource } from '@tinkerbell/resources';
import { TinkFailure } from '../failure.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { ApiFailure } from '../client/server-failure.ts';
import type { Session } from '../client/session.ts';
import { named } from '../client/named.ts';

/** Attempts. Each reads the object again, because the server writes attributes to it. */
const TRIES = 5;

/** Approves each Hardware and prints the result. Repeating it changes nothing. */
export async function approveHardware(session: Session, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const isNew = await approveOne(session, (await named(session, hardwareKind, name)).name);
    session.terminal.out(`hardware/${name} ${isNew ? 'approved' : 'already approved'}\n`);
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
  return new TinkFailure(`hardware/${name} is not waiting for approval`, {
    advice: 'only machines discovered with --tink-server-auto-discovery-approval wait for it',
  });
}
