/**
 * Gives a BMC a new password. The access is never lost: the new password is stored in the Secret before the BMC gets it, and replaces
 * the old one after a login with it. A server that stops in between leaves both, and the next one continues.
 */
import { withCondition, type PinnedConnection } from '@tinkerbell/bmc';
import { BmcError } from '@tinkerbell/engine-bmc';
import { collectionOf, secretKind, type BmcMachine, type Secret } from '@tinkerbell/resources';
import { Collection, type NamespacedName } from '@tinkerbell/store-contract';
import { callBmc } from './call-bmc.ts';
import { machineCollection } from './collections.ts';
import type { Reconciling } from './config.ts';
import { timeOf } from './status-times.ts';
import { recordForMachine } from './timeline.ts';

/** Set by an operator on a Machine whose BMC must get a new password. The controller removes it. */
export const ROTATE = 'tinkerbell.org/rotate-credentials';
const CONDITION = 'CredentialsRotated';
const NEXT = 'password-next';
const secretCollection = new Collection<Secret>(collectionOf(secretKind));

/** Every protocol stores this many characters. 62^16 is more than 95 bits. */
const LENGTH = 16;
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Does nothing unless an operator has asked for it. Rejects when the store is unavailable. */
export async function rotatePassword(
  deps: Reconciling,
  machine: BmcMachine,
  connection: PinnedConnection,
): Promise<void> {
  if (machine.metadata.annotations?.[ROTATE] === undefined) return;
  const { namespace, name } = machine.metadata;
  const place = { namespace, name };
  const refusal = whyNot(deps, connection);
  if (refusal !== undefined) return await answer(deps, place, { status: 'False', message: refusal });
  try {
    await rotate(deps, connection);
  } catch (thrown) {
    if (!(thrown instanceof BmcError)) throw thrown;
    const message = `${thrown.code}: ${thrown.message}`;
    recordForMachine(deps, place, {
      event: 'bmc-rotation-failed',
      message: `the password was not changed: ${message}`,
    });
    return await answer(deps, place, { status: 'False', message });
  }
  recordForMachine(deps, place, { event: 'bmc-password-rotated', message: 'the BMC has a new password' });
  await answer(deps, place, { status: 'True' });
}

/** A Secret of several BMCs would have the password of one of them only. */
function whyNot({ view }: Reconciling, { authSecretRef }: PinnedConnection): string | undefined {
  const { namespace, name } = authSecretRef ?? {};
  if (name === undefined || namespace === undefined) return 'spec.connection.authSecretRef names no Secret';
  const sharing = [...machineCollection.all(view)].filter(({ spec }) => {
    const other = spec?.connection.authSecretRef;
    return other?.name === name && other.namespace === namespace;
  });
  if (sharing.length <= 1) return undefined;
  const names = sharing.map(({ metadata }) => metadata.name).slice(0, 3);
  return `Secret ${namespace}/${name} belongs to ${sharing.length} Machines (${names.join(', ')}${sharing.length > 3 ? ', …' : ''}); give each its own`;
}

async function rotate(deps: Reconciling, connection: PinnedConnection): Promise<void> {
  const place = {
    namespace: connection.authSecretRef?.namespace ?? '',
    name: connection.authSecretRef?.name ?? '',
  };
  const { next, isLeft } = await nextPassword(deps, place);
  const withNext = { ...connection, passwordKey: NEXT };
  if (!isLeft || !(await logsIn(deps, withNext))) {
    await callBmc(deps, connection, {
      kind: 'password',
      name: 'change the password',
      isRepeatable: false,
      run: (session, { username }) => session.setPassword?.(username, next),
    });
    if (!(await logsIn(deps, withNext)))
      throw new BmcError('not-applied', 'the BMC accepted a new password and refuses a login with it');
  }
  await changeData(deps, place, (data) => ({
    ...without(data, NEXT),
    password: base64Of(next),
  }));
}

/** One that an interrupted change has left is used again, because the BMC may have it. */
async function nextPassword(
  deps: Reconciling,
  place: NamespacedName,
): Promise<{ readonly next: string; readonly isLeft: boolean }> {
  const stored = (await secretCollection.get(deps.store, place))?.object.data?.[NEXT];
  if (stored !== undefined)
    return { next: new TextDecoder().decode(Uint8Array.fromBase64(stored)), isLeft: true };
  const next = randomPassword(deps);
  await changeData(deps, place, (data) => ({ ...data, [NEXT]: base64Of(next) }));
  return { next, isLeft: false };
}

function randomPassword({ random }: Reconciling): string {
  let password = '';
  while (password.length < LENGTH) {
    const [byte = 0] = random.bytes(1);
    // A remainder of all 256 values would prefer the first characters.
    if (byte < 256 - (256 % CHARACTERS.length)) password += CHARACTERS[byte % CHARACTERS.length];
  }
  return password;
}

function base64Of(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

async function logsIn(deps: Reconciling, connection: PinnedConnection): Promise<boolean> {
  try {
    await callBmc(deps, connection, {
      kind: 'power-state',
      name: 'log in',
      isRepeatable: true,
      run: (session) => session.powerState(),
    });
    return true;
  } catch (thrown) {
    if (thrown instanceof BmcError && thrown.code === 'wrong-credentials') return false;
    throw thrown;
  }
}

async function changeData(
  { store }: Reconciling,
  place: NamespacedName,
  change: (data: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): Promise<void> {
  const updated = await secretCollection.update<never>(store, place, (secret) => ({
    object: { ...secret, data: change(secret.data ?? {}) },
  }));
  if (!updated.ok)
    throw new BmcError('wrong-credentials', `Secret ${place.namespace}/${place.name} cannot be changed`);
}

async function answer(
  deps: Reconciling,
  place: NamespacedName,
  result: { readonly status: 'True' | 'False'; readonly message?: string },
): Promise<void> {
  const lastUpdateTime = timeOf(deps.clock.nowMs());
  const updated = await machineCollection.update<never>(deps.store, place, (machine) => {
    const annotations = without(machine.metadata.annotations ?? {}, ROTATE);
    const condition = { type: CONDITION, ...result, lastUpdateTime };
    const conditions = withCondition(machine.status?.conditions, condition);
    return {
      object: {
        ...machine,
        metadata: { ...machine.metadata, annotations },
        status: { ...machine.status, conditions },
      },
    };
  });
  if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
}

function without(fields: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}
