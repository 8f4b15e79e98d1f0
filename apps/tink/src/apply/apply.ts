/**
 * Applies manifests. Nothing is sent unless every object of every file passes the local checks and the server's dry run.
 * Each object is then one write. If a write fails, the error says how many objects were stored. It is safe to apply again.
 */
import { eachAtOnce } from '@tinkerbell/platform-contract';
import { hardwareKind, type Kind, type ManifestProblem, type Resource } from '@tinkerbell/resources';
import { inOrderOfReference, planWrite, type Operation, type PlannedWrite } from './apply-plan.ts';
import type { ApiClient, WriteOptions } from '../client/client.ts';
import { TinkFailure } from '../failure.ts';
import { nameOf } from '../client/kind-names.ts';
import {
  formatManifestProblem,
  type CheckedManifests,
  type LocatedObject,
} from '../manifests/manifest-objects.ts';
import { placeholderProblems } from './placeholders.ts';
import { ApiFailure } from '../client/server-failure.ts';
import { checkRendering, missingReferences } from './workflow-rendering.ts';

const PROBLEMS_SHOWN = 50;
/** Concurrent requests during reads and dry runs. */
const PARALLEL = 8;
/** Times that an object is read again after a conflict. */
const CONFLICT_TRIES = 5;

export interface ApplyOptions {
  /** `client` compares with the server's objects and sends nothing. `server` also runs the server's checks. */
  readonly dryRun?: DryRun | undefined;
  readonly warn: (line: string) => void;
  /** Objects for which the server's warnings are printed. The warnings of the others were printed during the check. */
  readonly unchecked?: ReadonlySet<Resource>;
  readonly done: (applied: Applied) => void;
}

export type DryRun = 'client' | 'server';

export interface Applied {
  readonly operation: Operation;
  readonly kind: Kind;
  /** The object before the write; undefined for a new one. */
  readonly before: Resource | undefined;
  /** The object after the write; in a dry run, what it would be. */
  readonly after: Resource;
  /** `hardware/m1` */
  readonly name: string;
}

/**
 * Resolves with the Workflows that only the server can check. Throws a TinkFailure that lists the problems, one on each
 * line. If `client` is undefined, checks without a server.
 */
export async function checkAll(
  checked: CheckedManifests,
  client: ApiClient | undefined,
  warn: (line: string) => void,
): Promise<ReadonlySet<Resource>> {
  const fromServer = client === undefined ? undefined : await existingReferences(checked.objects, client);
  const rendering = checkRendering(checked.objects, fromServer);
  // The server stores such a workflow, and it waits, because files may come in any order. A check alone rejects it.
  const waiting = client === undefined ? [] : rendering.problems.map(asWaiting);
  for (const warning of [...rendering.warnings, ...waiting])
    warn(`warning: ${formatManifestProblem(warning)}`);
  const placeholders = client === undefined ? [] : placeholderProblems(checked.objects);
  const problems = [
    ...checked.problems,
    ...placeholders,
    ...(client === undefined ? rendering.problems : []),
  ];
  if (problems.length === 0) return rendering.unchecked ?? new Set();
  const lines = problems.slice(0, PROBLEMS_SHOWN).map(formatManifestProblem);
  if (problems.length > PROBLEMS_SHOWN) lines.push(`… and ${problems.length - PROBLEMS_SHOWN} more`);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const sent = client === undefined ? '' : '; nothing was sent';
  throw new TinkFailure([...lines, `${count}${sent}`].join('\n'));
}

function asWaiting(problem: ManifestProblem): ManifestProblem {
  return { ...problem, message: `${problem.message}; the workflow waits until it does` };
}

async function existingReferences(
  objects: readonly LocatedObject[],
  client: ApiClient,
): Promise<readonly Resource[]> {
  const found = await inParallel(missingReferences(objects), (reference) => client.find(reference));
  return found.filter((one) => one !== undefined);
}

/** Applies objects that passed `checkAll`. */
export async function applyObjects(
  objects: readonly LocatedObject[],
  client: ApiClient,
  options: ApplyOptions,
): Promise<void> {
  const ordered = inOrderOfReference(objects);
  const planned = await inParallel(ordered, async (object) => ({
    object,
    write: await planFor(object, client),
  }));
  const changed = planned.filter(({ write }) => write.operation !== 'unchanged');
  const isTried = options.dryRun === 'server' || (options.dryRun === undefined && changed.length > 1);
  const warnOf = warningsFor(options);
  const onTry = options.dryRun === undefined ? undefined : warnOf;
  const tried = isTried
    ? await tryOnServer(changed, { objects, client, warnOf: onTry })
    : new Map<LocatedObject, Resource>();
  let stored = 0;
  for (const { object, write } of planned) {
    const isDry = options.dryRun !== undefined;
    const result = isDry
      ? write
      : await attempt(object, write, { client, stored, onWarning: warnOf(object) });
    if (result.operation !== 'unchanged') stored += 1;
    const after = (isDry ? tried.get(object) : undefined) ?? result.object;
    const name = nameOf(object.kind, after.metadata.name);
    options.done({ operation: result.operation, kind: object.kind, before: result.before, after, name });
  }
}

type WarnOf = (object: LocatedObject) => (text: string) => void;

/** Prints the warnings that only the server can give. `checkAll` has printed the others with their place in the file. */
const OTHER_WORKFLOWS = /^spec\.hardware(Ref|Map)\b/;

function warningsFor({ unchecked, warn }: ApplyOptions): WarnOf {
  return (object) => (text) => {
    if (unchecked?.has(object.resource) === true || OTHER_WORKFLOWS.test(text)) warn(`warning: ${text}`);
  };
}

interface Planned {
  readonly object: LocatedObject;
  readonly write: PlannedWrite;
}

async function planFor({ kind, resource }: LocatedObject, client: ApiClient): Promise<PlannedWrite> {
  const { name, namespace } = resource.metadata;
  const current = name ? await client.find({ kind, namespace, name }) : undefined;
  return planWrite(kind, resource, current);
}

/**
 * Runs the server's own checks. A Workflow whose Template or Hardware is in the same files was rendered locally. The server
 * could only check it against its current objects.
 */
async function tryOnServer(
  changed: readonly Planned[],
  {
    objects,
    client,
    warnOf,
  }: {
    readonly objects: readonly LocatedObject[];
    readonly client: ApiClient;
    readonly warnOf: WarnOf | undefined;
  },
): Promise<ReadonlyMap<LocatedObject, Resource>> {
  const results = new Map<LocatedObject, Resource>();
  const bringsReferences = objects.some(({ kind }) => kind === hardwareKind || kind.kind === 'Template');
  const tried = changed.filter(({ object }) => !(bringsReferences && object.kind.kind === 'Workflow'));
  const refusals = await inParallel(tried, async ({ object, write }) => {
    try {
      results.set(object, await send(write, client, { dryRun: true, onWarning: warnOf?.(object) }));
      return [];
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.code >= 400 && thrown.code < 500)
        return [`${object.file.name}: ${thrown.message}`];
      throw thrown;
    }
  });
  const lines = [...new Set(refusals.flat())];
  if (lines.length > 0)
    throw new TinkFailure([...lines, 'rejected by the server; nothing was stored'].join('\n'));
  return results;
}

async function attempt(
  object: LocatedObject,
  write: PlannedWrite,
  {
    client,
    stored,
    onWarning,
  }: { readonly client: ApiClient; readonly stored: number } & Pick<WriteOptions, 'onWarning'>,
): Promise<PlannedWrite> {
  let next = write;
  for (let tries = 1; ; tries++) {
    if (next.operation === 'unchanged') return next;
    try {
      return { ...next, object: await send(next, client, { onWarning }) };
    } catch (thrown) {
      const isRace = thrown instanceof ApiFailure && thrown.code === 409 && tries < CONFLICT_TRIES;
      if (!isRace) throw stored === 0 ? thrown : withProgress(thrown, object, stored);
      next = await planFor(object, client);
    }
  }
}

function send(
  { kind, operation, object }: PlannedWrite,
  client: ApiClient,
  options: WriteOptions,
): Promise<Resource> {
  return operation === 'created'
    ? client.create(kind, object, options)
    : client.replace(kind, object, options);
}

function withProgress(thrown: unknown, { kind, resource }: LocatedObject, stored: number): unknown {
  if (!(thrown instanceof TinkFailure)) return thrown;
  const name = nameOf(kind, resource.metadata.name);
  return new TinkFailure(`${name}: ${thrown.message}`, {
    advice: `the ${stored} objects before it were stored; it is safe to apply the same files again`,
  });
}

/** Returns the results in the order of `items`. Stops at the first failure. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  await eachAtOnce(items.entries(), PARALLEL, async ([index, item]) => {
    results[index] = await task(item);
  });
  return results;
}
