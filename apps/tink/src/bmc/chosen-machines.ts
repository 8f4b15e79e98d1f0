/** The machines that a command of BMCs is about. */
import { hardwareKind, type Hardware } from '@tinkerbell/resources';
import type { Session } from '../client/session.ts';
import { isOneChoice, type Choice } from '../command-line/choice.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { findHardware } from '../workflow/create-workflow.ts';

export interface ChosenMachine {
  readonly hardware: Hardware;
  /** The name of the Machine of `bmc.tinkerbell.org`, in the namespace of the Hardware. */
  readonly bmc: string;
}

/** Throws a usage failure unless names, `--selector` or `--all` choose machines, and a failure for one without a BMC. */
export async function chosenMachines(session: Session, choice: Choice): Promise<readonly ChosenMachine[]> {
  if (!isOneChoice(choice))
    throw usageFailure('choose machines by name, with --selector LABELS, or with --all');
  if (choice.names.length > 0)
    return await Promise.all(choice.names.map(async (name) => withBmc(await findHardware(session, name))));
  const { namespace } = session;
  const { items } = await session.client.list(hardwareKind, { namespace, labelSelector: choice.selector });
  const found = items.filter(hasBmc).map(withBmc);
  if (found.length > 0) return found;
  throw new TinkFailure(`no hardware in namespace ${namespace} matches and has a BMC`, {
    advice: 'set spec.bmcRef of the Hardware to the name of a Machine',
  });
}

function hasBmc({ spec }: Hardware): boolean {
  return (spec?.bmcRef?.name ?? '') !== '';
}

function withBmc(hardware: Hardware): ChosenMachine {
  const bmc = hardware.spec?.bmcRef?.name ?? '';
  if (bmc !== '') return { hardware, bmc };
  throw new TinkFailure(`hardware/${hardware.metadata.name} has no BMC`, {
    advice: 'create a Machine of bmc.tinkerbell.org, and set spec.bmcRef of the Hardware to its name',
  });
}
