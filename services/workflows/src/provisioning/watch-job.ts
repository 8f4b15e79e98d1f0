/** Watches a job: returns it now and after each change, until it has ended. */
import { isFinal, jobOf, workflowNameOf, type Job } from '@tinkerbell/provisioning';
import type { Workflow } from '@tinkerbell/resources';
import { workflowCollection, type Change } from '@tinkerbell/store-contract';
import { RpcError } from '../grpc/rpc-error.ts';
import { jobNamed, type ProvisioningDeps } from './job-store.ts';

/** A view that lost its watch lists again and does not report what changed meanwhile, so the job is polled. */
const LOOK_AGAIN_MS = 10_000;
/** The number of changes that a slow client may be behind, and their size as JSON. Beyond these limits the oldest are dropped. */
const BACKLOG_MAX = 1000;
const BACKLOG_CHARACTERS_MAX = 64 * 1024;

/**
 * Throws an RpcError: `not-found`, `aborted` when the job is deleted, `unavailable` when the server stops, `resource-exhausted`
 * when there are too many watches.
 */
export async function* watchJob(
  deps: ProvisioningDeps,
  jobId: string,
  signal: AbortSignal,
): AsyncGenerator<Job> {
  const giveBack = deps.watchers.take();
  if (giveBack === undefined)
    throw new RpcError(
      'resource-exhausted',
      'too many watches of jobs; try again later, or call GetJobStatus',
    );
  try {
    yield* changesOf(deps, jobId, signal);
  } finally {
    giveBack();
  }
}

async function* changesOf(deps: ProvisioningDeps, jobId: string, signal: AbortSignal): AsyncGenerator<Job> {
  using changes = new JobChanges(deps, workflowNameOf(jobId));
  changes.add((await jobNamed(deps, jobId)).workflow);
  for (;;) {
    for (const job of changes.take()) {
      if (job === undefined) throw new RpcError('aborted', `job ${jobId} was deleted`);
      yield job;
      if (isFinal(job.state)) return;
    }
    if (signal.aborted) throw new RpcError('unavailable', 'server shutting down');
    await changes.wait(signal);
  }
}

class JobChanges implements Disposable {
  readonly #deps: ProvisioningDeps;
  readonly #name: string;
  readonly #unfollow: () => void;
  /** Stores jobs, not their workflows, which may be a hundred times as large. */
  #waiting: { readonly job: Job | undefined; readonly characters: number }[] = [];
  #waitingCharacters = 0;
  #lastText = '';
  #revision = 0;
  #wake: () => void = () => undefined;

  constructor(deps: ProvisioningDeps, name: string) {
    this.#deps = deps;
    this.#name = name;
    this.#unfollow = deps.view.onChange((change) => this.#onChange(change));
  }

  #onChange(change: Change): void {
    if (!workflowCollection.holds(change) || change.key.name !== this.#name) return;
    if (change.key.namespace !== this.#deps.namespace) return;
    this.add(change.type === 'deleted' ? undefined : change.object);
  }

  /** Undefined when the job was deleted. A change older than the last one is dropped. */
  add(workflow: Workflow | undefined): void {
    const revision = Number(workflow?.metadata.resourceVersion ?? this.#revision + 1);
    if (revision <= this.#revision) return;
    this.#revision = revision;
    const job = workflow === undefined ? undefined : jobOf(workflow);
    const text = JSON.stringify(job) ?? '';
    if (job !== undefined && text === this.#lastText) return;
    this.#lastText = text;
    this.#waiting.push({ job, characters: text.length });
    this.#waitingCharacters += text.length;
    this.#dropOldest();
    this.#wake();
  }

  /** The newest change stays, whatever its size. */
  #dropOldest(): void {
    while (
      this.#waiting.length > 1 &&
      (this.#waiting.length > BACKLOG_MAX || this.#waitingCharacters > BACKLOG_CHARACTERS_MAX)
    )
      this.#waitingCharacters -= this.#waiting.shift()?.characters ?? 0;
  }

  /** Undefined stands for a job that was deleted. */
  take(): readonly (Job | undefined)[] {
    this.#waitingCharacters = 0;
    return this.#waiting.splice(0).map(({ job }) => job);
  }

  /** Resolves when there may be a change, or when `signal` aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#waiting.length > 0) return;
    const wake = (): void => resolve();
    this.#wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    const cancel = this.#deps.clock.schedule(LOOK_AGAIN_MS, () => {
      this.add(this.#deps.view.workflowNamed(this.#deps.namespace, this.#name));
      wake();
    });
    await promise;
    cancel();
    signal.removeEventListener('abort', wake);
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }
}
