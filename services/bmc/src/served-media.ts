/**
 * Virtual media that this server itself serves. An annotation of the Machine remembers it, so that the next leader inserts it again, and
 * a restarted one too.
 */
import {
  MEDIA_ANNOTATION,
  pinnedConnection,
  type BmcOperation,
  type PinnedConnection,
} from '@tinkerbell/bmc';
import { BmcError, type BmcSession } from '@tinkerbell/engine-bmc';
import type { BmcMachine } from '@tinkerbell/resources';
import type { NamespacedName } from '@tinkerbell/store-contract';
import { applySetting } from './apply-setting.ts';
import { callBmc } from './call-bmc.ts';
import { machineCollection } from './collections.ts';
import type { Reconciling } from './config.ts';
import { recordForMachine } from './timeline.ts';

/** Until an image that could not be inserted is tried again. */
const RETRY_MS = 60_000;
/** Until it is checked that an image is still in its drive. A connection that breaks is opened again without it. */
const CHECK_MS = 300_000;

export class ServedMedia {
  readonly #deps: Reconciling;
  /** The connections of the Machines that this process serves an image to. */
  readonly #served = new Map<string, PinnedConnection>();
  /** Machines whose failure is in the timeline. */
  readonly #failed = new Set<string>();

  constructor(deps: Reconciling) {
    this.#deps = deps;
  }

  /** Inserts the image that the Machine must have, or ejects the one that it must not have. Returns after how long to look again. */
  async keep(place: NamespacedName, machine: BmcMachine, connection: PinnedConnection): Promise<number> {
    const path = pathOf(place);
    const served = this.#served.get(path);
    const wanted = urlOf(machine);
    if (served !== undefined && driveOf(served) !== driveOf(connection))
      await this.#deps.connections.endMedia(served, () => Promise.resolve(true));
    if (wanted === undefined) {
      await this.end(place);
      return Infinity;
    }
    try {
      await this.#insert(place, connection);
      this.#failed.delete(path);
      this.#served.set(path, connection);
      return CHECK_MS;
    } catch (thrown) {
      if (!(thrown instanceof BmcError)) throw thrown;
      const message = `${wanted} is not in the virtual drive: ${thrown.code}: ${thrown.message}`;
      if (!this.#failed.has(path))
        recordForMachine(this.#deps, place, { event: 'bmc-media-failed', message });
      this.#failed.add(path);
      return RETRY_MS;
    }
  }

  /** Ejects what this process serves to a Machine, which may be gone. A Task may have inserted another image meanwhile. */
  async end(place: NamespacedName): Promise<void> {
    const path = pathOf(place);
    const served = this.#served.get(path);
    this.#failed.delete(path);
    this.#served.delete(path);
    const isUnwanted = async (): Promise<boolean> => (await this.#wantedAt(place)) === undefined;
    if (served !== undefined) await this.#deps.connections.endMedia(served, isUnwanted);
  }

  async #insert(place: NamespacedName, connection: PinnedConnection): Promise<void> {
    await callBmc(this.#deps, connection, {
      kind: 'virtual-media',
      name: 'serve virtual media',
      isRepeatable: true,
      run: (session) => (session.servesMedia === true ? this.#insertInto(session, place) : undefined),
    });
  }

  /** A Task may have changed the image while this call waited for its turn. */
  async #insertInto(session: BmcSession, place: NamespacedName): Promise<void> {
    const wanted = await this.#wantedAt(place);
    if (wanted === undefined || (await session.virtualMedia?.())?.url === wanted) return;
    await session.setVirtualMedia?.(wanted);
    const message = `${wanted} is in the virtual drive again`;
    recordForMachine(this.#deps, place, { event: 'bmc-media-served', message });
  }

  async #wantedAt(place: NamespacedName): Promise<string | undefined> {
    return urlOf((await machineCollection.get(this.#deps.store, place))?.object);
  }
}

export type MediaOperation = Extract<BmcOperation, { kind: 'virtual-media' }>;

interface MediaTask {
  /** Undefined: a Task without a Job, whose image nobody remembers. */
  readonly machine: NamespacedName | undefined;
  readonly operation: MediaOperation;
}

/** Undefined: the session has no virtual drive. Resolves with a note for the Task, which may be empty. */
export function changeMedia(
  deps: Reconciling,
  session: BmcSession,
  task: MediaTask,
): Promise<string> | undefined {
  return session.setVirtualMedia === undefined ? undefined : changeAndRemember(deps, session, task);
}

async function changeAndRemember(
  deps: Reconciling,
  session: BmcSession,
  { machine, operation }: MediaTask,
): Promise<string> {
  // First, so that nobody inserts the old image again if this server stops now.
  if (machine !== undefined) await rememberMedia(deps, machine, undefined);
  const note = (await applySetting(deps.clock, session, operation)) ?? '';
  if (machine !== undefined && session.servesMedia === true)
    await rememberMedia(deps, machine, operation.url);
  return note;
}

/** Undefined: nothing is to be inserted. */
async function rememberMedia(
  deps: Reconciling,
  place: NamespacedName,
  url: string | undefined,
): Promise<void> {
  const updated = await machineCollection.update<'unchanged'>(deps.store, place, (machine) => {
    if (urlOf(machine) === url) return { refusal: 'unchanged' };
    const { [MEDIA_ANNOTATION]: _, ...others } = machine.metadata.annotations ?? {};
    const annotations = url === undefined ? others : { ...others, [MEDIA_ANNOTATION]: url };
    return { object: { ...machine, metadata: { ...machine.metadata, annotations } } };
  });
  if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
}

function urlOf(machine: BmcMachine | undefined): string | undefined {
  const url = machine?.metadata.annotations?.[MEDIA_ANNOTATION];
  return url === '' || machine === undefined || pinnedConnection(machine) === undefined ? undefined : url;
}

/** Another login or certificate is still the same drive. */
function driveOf({ host, providerOptions }: PinnedConnection): string {
  return JSON.stringify([host, providerOptions]);
}

function pathOf({ namespace, name }: NamespacedName): string {
  return `${namespace}/${name}`;
}
