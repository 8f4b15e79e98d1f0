/** Carries out one Task. Its start is recorded before the BMC gets anything, and each pass continues from what is stored (G17). */
import {
  describeOperation,
  hasEnded,
  operationOf,
  pinnedConnection,
  withCondition,
  type BmcOperation,
  type PinnedConnection,
} from '@tinkerbell/bmc';
import { BmcError, type BmcErrorCode } from '@tinkerbell/engine-bmc';
import type { Again } from '@tinkerbell/engine-work-queue';
import type { BmcJob, BmcTask } from '@tinkerbell/resources';
import type { NamespacedName } from '@tinkerbell/store-contract';
import { applySetting } from './apply-setting.ts';
import { callBmc } from './call-bmc.ts';
import { jobCollection, taskCollection } from './collections.ts';
import type { Reconciling } from './config.ts';
import { powerPass, type Pass, type Sent } from './power-pass.ts';
import { changeMedia, type MediaOperation } from './served-media.ts';
import { timeOf } from './status-times.ts';
import { recordForMachine, type BmcEvent } from './timeline.ts';

interface Progress extends Sent {
  failures: number;
}

/** Failures of the way to the BMC that may be gone a moment later. */
const PASSING: ReadonlySet<BmcErrorCode> = new Set(['unreachable', 'timed-out', 'busy', 'session-lost']);
const TRIES_MAX = 4;
const RETRY_MS = 2000;

/** What this process has sent for Tasks that run. */
export class TaskReconciler {
  readonly #deps: Reconciling;
  /** By uid. */
  readonly #progress = new Map<string, Progress>();

  constructor(deps: Reconciling) {
    this.#deps = deps;
  }

  async reconcile(place: NamespacedName): Promise<Again> {
    const task = (await taskCollection.get(this.#deps.store, place))?.object;
    if (task === undefined || task.metadata.deletionTimestamp !== undefined || hasEnded(task.status))
      return this.#forget(task);
    const parsed = operationOf(task.spec?.task ?? {});
    const connection = pinnedConnection(task);
    if (!parsed.ok) return await this.#fail(task, parsed.message);
    if (connection === undefined) return await this.#fail(task, 'spec.connection is missing');
    const started = await this.#start(task);
    return started && (await this.#pass(started, { operation: parsed.operation, connection }));
  }

  async #pass(
    task: BmcTask,
    work: { readonly operation: BmcOperation; readonly connection: PinnedConnection },
  ): Promise<Again> {
    const progress = this.#progressOf(task);
    try {
      const pass = await this.#perform(task, progress, work);
      progress.failures = 0;
      if (pass.kind === 'completed') return await this.#complete(task, work.operation, pass.note);
      if (pass.kind === 'failed') return await this.#fail(task, pass.message);
      return { atMs: this.#deps.clock.nowMs() + pass.afterMs };
    } catch (thrown) {
      if (!(thrown instanceof BmcError)) throw thrown;
      progress.failures += 1;
      if (!PASSING.has(thrown.code) || progress.failures >= TRIES_MAX)
        return await this.#fail(task, failureText(thrown));
      const jitterMs = this.#deps.random.fraction() * RETRY_MS;
      return { atMs: this.#deps.clock.nowMs() + RETRY_MS * progress.failures + jitterMs };
    }
  }

  #perform(
    task: BmcTask,
    progress: Progress,
    { operation, connection }: { readonly operation: BmcOperation; readonly connection: PinnedConnection },
  ): Promise<Pass> {
    const deps = this.#deps;
    switch (operation.kind) {
      case 'power':
      case 'power-status':
        return powerPass(deps, { task, connection, operation }, progress);
      case 'boot-device':
        return callBmc(deps, connection, {
          kind: operation.kind,
          name: 'set the boot device',
          isRepeatable: true,
          run: (session) => applySetting(deps.clock, session, operation),
        }).then((note) => ({ kind: 'completed', note }));
      case 'virtual-media':
        return this.#useMedia(task, connection, operation);
    }
  }

  async #useMedia(task: BmcTask, connection: PinnedConnection, operation: MediaOperation): Promise<Pass> {
    const machine = this.#jobOf(task)?.spec?.machineRef;
    const note = await callBmc(this.#deps, connection, {
      kind: operation.kind,
      name: 'use virtual media',
      isRepeatable: true,
      run: (session) => changeMedia(this.#deps, session, { machine, operation }),
    });
    return { kind: 'completed', note };
  }

  /** Returns the Task with its start time, or undefined when it has ended meanwhile. */
  async #start(task: BmcTask): Promise<BmcTask | undefined> {
    if (task.status?.startTime !== undefined) return task;
    const startTime = timeOf(this.#deps.clock.nowMs());
    const started = await this.#update(task, (status) => ({ ...status, startTime }));
    if (started !== undefined) this.#progress.set(uidOf(task), fresh(false));
    return started;
  }

  /** A Task that had started before this process knew it was carried out by another one. */
  #progressOf(task: BmcTask): Progress {
    const known = this.#progress.get(uidOf(task)) ?? fresh(true);
    this.#progress.set(uidOf(task), known);
    return known;
  }

  async #complete(task: BmcTask, operation: BmcOperation, note: string): Promise<Again> {
    const completionTime = timeOf(this.#deps.clock.nowMs());
    const condition = { type: 'Completed', status: 'True', ...(note === '' ? {} : { message: note }) };
    await this.#update(task, (status) => ({
      ...status,
      completionTime,
      conditions: withCondition(status.conditions, condition),
    }));
    const text = `${describeOperation(operation)}${note === '' ? '' : ` (${note})`}`;
    this.#record(task, { event: 'bmc-task-completed', message: text });
    return this.#forget(task);
  }

  /** In the timeline of the machine of its Job. */
  #record(task: BmcTask, event: BmcEvent): void {
    const machine = this.#jobOf(task)?.spec?.machineRef;
    if (machine !== undefined) recordForMachine(this.#deps, machine, event);
  }

  #jobOf({ metadata }: BmcTask): BmcJob | undefined {
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Job');
    return jobCollection
      .all(this.#deps.view)
      .find((one) => one.metadata.uid === owner?.uid && one.metadata.namespace === metadata.namespace);
  }

  async #fail(task: BmcTask, message: string): Promise<Again> {
    const condition = { type: 'Failed', status: 'True', message };
    await this.#update(task, (status) => ({
      ...status,
      startTime: status.startTime ?? timeOf(this.#deps.clock.nowMs()),
      conditions: withCondition(status.conditions, condition),
    }));
    return this.#forget(task);
  }

  async #update(
    task: BmcTask,
    change: (status: NonNullable<BmcTask['status']>) => NonNullable<BmcTask['status']>,
  ): Promise<BmcTask | undefined> {
    const { namespace, name } = task.metadata;
    const updated = await taskCollection.update<'ended'>(this.#deps.store, { namespace, name }, (current) =>
      hasEnded(current.status) || current.metadata.uid !== task.metadata.uid
        ? { refusal: 'ended' }
        : { object: { ...current, status: change(current.status ?? {}) } },
    );
    if (updated.ok) return updated.after;
    if (updated.kind === 'unavailable') throw new Error(updated.message);
    return undefined;
  }

  #forget(task: BmcTask | undefined): undefined {
    if (task !== undefined) this.#progress.delete(uidOf(task));
  }
}

function fresh(isResumed: boolean): Progress {
  return { sends: 0, lastSentMs: 0, isResumed, failures: 0 };
}

function uidOf({ metadata }: BmcTask): string {
  return metadata.uid ?? '';
}

/** Upstream's words for a failed login. */
function failureText({ code, message }: BmcError): string {
  const isConnect = PASSING.has(code) || code === 'wrong-credentials';
  return `${isConnect ? 'Failed to connect to BMC: ' : ''}${code}: ${message}`;
}
