import type { Reservation } from '@tinkerbell/netboot';
import type { Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';

const TERMINAL_STATES: readonly string[] = ['SUCCESS', 'FAILED', 'TIMEOUT'];

/**
 * Returns false when the machine has workflows and all are finished. A machine without any counts as having work: it may be new,
 * and its workflow may be created, or enrolled by its agent, while the in-memory OS runs. So does a machine whose Hardware was
 * deleted and created again, because the workflows of the old one are over.
 */
export function hasWorkToDo(view: View, reservation: Reservation): boolean {
  const ofHardware = view.workflowsByHardware(reservation.namespace, reservation.hardwareName);
  const ofAgent = view.workflowsByAgent(reservation.agentId);
  if (ofHardware.length === 0 && ofAgent.length === 0) return true;
  const all = [...ofHardware, ...ofAgent];
  return isUnfinished(all.filter((workflow) => !isOfFormerHardware(workflow, reservation)));
}

/**
 * The workflow finished on a Hardware that no longer exists. Workflows of upstream, and older ones, do not record their Hardware.
 */
function isOfFormerHardware(workflow: Workflow, { hardwareUid }: Reservation): boolean {
  const ranOn = workflow.status?.hardwareUID;
  return isFinished(workflow) && ranOn !== undefined && hardwareUid !== undefined && ranOn !== hardwareUid;
}

/** Boot modes in which the controller, or the operator's own actions, insert an image into the machine's drive. */
const VIRTUAL_MEDIA_MODES: readonly string[] = ['isoboot', 'iso', 'customboot'];

/**
 * Returns true when allowPXE is set, and while a workflow boots the machine by virtual media, which does not need allowPXE.
 * Upstream serves the image to every machine: one whose image stays in the drive would never boot its disk again.
 */
export function mayBootIso(view: View, reservation: Reservation): boolean {
  return (
    reservation.mayNetboot ||
    view
      .workflowsByHardware(reservation.namespace, reservation.hardwareName)
      .some(
        (workflow) =>
          !isFinished(workflow) && VIRTUAL_MEDIA_MODES.includes(workflow.spec?.bootOptions?.bootMode ?? ''),
      )
  );
}

/** The workflow states for which a machine boots, in order of preference. */
const BOOTING_STATES: readonly string[] = ['RUNNING', 'PREPARING', 'PENDING'];

/** Returns the workflow that the machine boots for, or undefined when none is ready. */
export function workflowOfBoot(view: View, reservation: Reservation): Workflow | undefined {
  const all = [
    ...view.workflowsByHardware(reservation.namespace, reservation.hardwareName),
    ...view.workflowsByAgent(reservation.agentId),
  ];
  return BOOTING_STATES.map((state) => all.find(({ status }) => status?.state === state)).find(
    (found) => found !== undefined,
  );
}

/** `hasWorkToDo` for a machine without usable Hardware. Its agent's id is its MAC. */
export function unknownHasWorkToDo(view: View, mac: Mac | undefined): boolean {
  return isUnfinished(mac === undefined ? [] : view.workflowsByAgent(mac));
}

function isUnfinished(workflows: readonly Workflow[]): boolean {
  return workflows.length === 0 || workflows.some((workflow) => !isFinished(workflow));
}

function isFinished({ status }: Workflow): boolean {
  return TERMINAL_STATES.includes(status?.state ?? '');
}

/** Returns the MAC of the only network interface with this address, for the timeline of clients known only by address. */
export function macAt(view: View, address: string): Mac | undefined {
  const found = view.hardwareByIp(address);
  const [only] = found;
  if (only === undefined || found.length > 1) return undefined;
  const networkInterface = only.spec?.interfaces?.find(({ dhcp }) => dhcp?.ip?.address === address);
  return parseMac(networkInterface?.dhcp?.mac ?? '');
}
