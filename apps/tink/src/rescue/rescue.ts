/** Boots a machine into the in-memory OS with a shell, and back to its disk. */
import { hardwareKind, RESCUE_ANNOTATION, type BmcAction, type Hardware } from '@tinkerbell/resources';
import { bootOnceActions } from '@tinkerbell/workflow';
import { runJob } from '../bmc/run-job.ts';
import type { Session } from '../client/session.ts';
import { TinkFailure } from '../failure.ts';
import { findHardware } from '../workflow/create-workflow.ts';
import { refuseUnfinished, workflowsOf } from '../workflow/machine-workflows.ts';

export interface RescueWish {
  /** A Hardware's name or a MAC. */
  readonly machine: string;
  /** Whether the repair is over. */
  readonly isOver: boolean;
  /** Whether the BMC, if there is one, restarts the machine. */
  readonly restarts: boolean;
  readonly timeoutSeconds: number;
}

export interface Rescued {
  readonly hardware: Hardware;
  readonly isRestarted: boolean;
}

/** Throws a TinkFailure with advice when a workflow of the machine has not ended, and when its BMC does not restart it. */
export async function rescue(session: Session, wish: RescueWish): Promise<Rescued> {
  const hardware = await findHardware(session, wish.machine);
  // The agent would stop in the middle of it.
  if (!wish.isOver) refuseUnfinished(await workflowsOf(session, hardware));
  const { name, namespace } = hardware.metadata;
  const annotations = { [RESCUE_ANNOTATION]: wish.isOver ? null : 'true' };
  const body = { metadata: { annotations } };
  await session.client.patch({ kind: hardwareKind, namespace, name }, { type: 'merge', body });
  const bmc = hardware.spec?.bmcRef?.name ?? '';
  if (bmc === '' || !wish.restarts) return { hardware, isRestarted: false };
  const tasks = wish.isOver ? FROM_DISK : bootOnceActions(hardware, 'pxe');
  const job = { word: 'rescue', tasks, timeoutSeconds: wish.timeoutSeconds };
  const outcome = await runJob(session, { hardware, bmc }, job);
  if (outcome.ok) return { hardware, isRestarted: true };
  throw new TinkFailure(`the BMC has not restarted hardware/${name}: ${outcome.message}`, {
    advice: `the setting is stored: restart the machine yourself, or run the command again; causes: tink bmc check ${name}`,
  });
}

const FROM_DISK: readonly BmcAction[] = [{ powerAction: 'off' }, { powerAction: 'on' }];
