/**
 * Sets a condition on a Hardware whose MACs, addresses or agent id belong to another Hardware. The API rejects such an object, but
 * an older database or a cluster's own API may contain it.
 */
import { inSlices, type Clock, type Log } from '@tinkerbell/platform-contract';
import { claimsOf, type Claim, type Hardware, type HardwareCondition } from '@tinkerbell/resources';
import { hardwareCollection, machineOfAgent, type Store, type View } from '@tinkerbell/store-contract';

const TYPE = 'OwnsItsAddresses';
const SHOWN_MAX = 10;

interface Deps {
  readonly view: View;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks all Hardware, a few at a time. Never rejects. */
export function showAllClaims(deps: Deps, signal: AbortSignal): Promise<void> {
  const { clock, view } = deps;
  return inSlices(hardwareCollection.all(view), { clock, signal }, (hardware) => showClaims(deps, hardware));
}

/** Updates the condition if it is wrong. Never rejects, because the next check tries again. */
export function showClaims(deps: Deps, hardware: Hardware): Promise<void> | undefined {
  const message = messageOf(deps.view, hardware);
  return message === shownMessage(hardware) ? undefined : updateClaims(deps, hardware, message);
}

async function updateClaims(deps: Deps, hardware: Hardware, message: string | undefined): Promise<void> {
  const { namespace, name } = hardware.metadata;
  const now = new Date(deps.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  await hardwareCollection
    .update(deps.store, { namespace, name }, (object) => ({ object: withCondition(object, message, now) }))
    .catch((error: unknown) =>
      deps.log.warn('cannot set the condition of a Hardware', { namespace, name, error: String(error) }),
    );
}

function messageOf(view: View, hardware: Hardware): string | undefined {
  const lost = claimsOf(hardware).filter((claim) => isOthers(view, claim, hardware));
  if (lost.length === 0) return undefined;
  const shown = lost.slice(0, SHOWN_MAX).map(({ kind, value }) => `${kind} ${value}`);
  const more = lost.length > SHOWN_MAX ? ` and ${lost.length - SHOWN_MAX} more` : '';
  return `an older Hardware has ${shown.join(', ')}${more}; the server ignores requests from them for this Hardware`;
}

function isOthers(view: View, claim: Claim, { metadata }: Hardware): boolean {
  const owner = ownerOf(view, claim);
  return owner !== undefined && owner.metadata.uid !== metadata.uid;
}

function ownerOf(view: View, { kind, value }: Claim): Hardware | undefined {
  return kind === 'address' ? view.hardwareByIp(value)[0] : machineOfAgent(view, value);
}

function conditionsOf({ status }: Hardware): readonly HardwareCondition[] {
  return status?.conditions ?? [];
}

function shownMessage(hardware: Hardware): string | undefined {
  return conditionsOf(hardware).find(({ type }) => type === TYPE)?.message;
}

function withCondition(
  hardware: Hardware,
  message: string | undefined,
  lastTransitionTime: string,
): Hardware {
  const others = conditionsOf(hardware).filter(({ type }) => type !== TYPE);
  const own = { type: TYPE, status: 'False', reason: 'OwnedByAnother', lastTransitionTime };
  const conditions = message === undefined ? others : [...others, { ...own, message }];
  return { ...hardware, status: { ...hardware.status, conditions: [...conditions] } };
}
