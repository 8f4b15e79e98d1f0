/** The objects of a fleet on the server: created before the machines boot, checked and removed after. */
import { eachAtOnce } from '@tinkerbell/platform-contract';
import {
  hardwareKind,
  templateKind,
  workflowKind,
  type KindOf,
  type Resource,
  type Workflow,
} from '@tinkerbell/resources';
import { FLEET_LABEL, fleetSelector, hardwareOf, templateOf, workflowOf } from './fleet-objects.ts';
import type { FleetOptions } from './fleet-options.ts';
import type { MachinePlan } from './machine-plan.ts';

/** The calls of the API that a fleet makes. They reject with messages for the user. */
export interface FleetApi {
  list<Object extends Resource>(
    kind: KindOf<Object>,
    options: { readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<{ readonly items: readonly Object[] }>;
  create<Object extends Resource>(kind: KindOf<Object>, object: Object): Promise<unknown>;
  remove(target: {
    readonly kind: KindOf<Resource>;
    readonly namespace: string;
    readonly name: string;
  }): Promise<void>;
  /** Returns the text of `/metrics`. Rejects when the server has none. */
  metrics(): Promise<string>;
}

/** A reason why nothing was started, or why it had to stop. `advice` says what to do. */
export class FleetError extends Error {
  readonly advice: string | undefined;

  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
  }
}

const CALLS_AT_ONCE = 16;
const LOOK_AGAIN_MS = 250;
const RENDERED_MS_MAX = 300_000;

type Progress = (text: string) => void;

/** @throws FleetError when the server has Hardware, because a fleet beside a real site slows it down. */
export async function refuseOthers(api: FleetApi, { besideOthers }: FleetOptions): Promise<void> {
  const { items } = await api.list(hardwareKind, {});
  if (items.length === 0) return;
  const left = items.filter(({ metadata }) => metadata.labels?.[FLEET_LABEL] !== undefined);
  const others = items.length - left.length;
  if (left.length > 0)
    throw new FleetError(
      `the server still has ${left.length} Hardware of an earlier simulation`,
      `remove its objects: tink simulate --clean -n ${left[0]?.metadata.namespace}`,
    );
  if (besideOthers) return;
  throw new FleetError(
    `the server already has ${others} Hardware, such as ${items[0]?.metadata.name}`,
    'use a server of its own, or add --beside-others; the simulation never changes objects that are not its own',
  );
}

/** Resolves when every Workflow waits for its agent. */
export async function register(
  api: FleetApi,
  plans: readonly MachinePlan[],
  { options, progress }: { readonly options: FleetOptions; readonly progress: Progress },
): Promise<void> {
  let done = 0;
  const count = (): void => {
    done += 1;
    if (done % 1000 === 0) progress(`created ${done} of ${2 * plans.length} objects`);
  };
  await api.create(templateKind, templateOf(options));
  await eachAtOnce(plans, CALLS_AT_ONCE, async (plan) => {
    await api.create(hardwareKind, hardwareOf(plan, options));
    count();
    await api.create(workflowKind, workflowOf(plan, options));
    count();
  });
  await untilRendered(api, options);
}

async function untilRendered(api: FleetApi, options: FleetOptions): Promise<void> {
  const deadlineMs = performance.now() + RENDERED_MS_MAX;
  for (;;) {
    const workflows = await workflowsOf(api, options);
    const failed = workflows.find(({ status }) => status?.state === 'FAILED');
    if (failed !== undefined)
      throw new FleetError(`Workflow ${failed.metadata.name} failed before any machine was on`);
    const waiting = workflows.filter(({ status }) => (status?.state ?? '') === '').length;
    if (waiting === 0) return;
    if (performance.now() > deadlineMs)
      throw new FleetError(`${waiting} Workflows were not rendered within ${RENDERED_MS_MAX / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

export async function workflowsOf(
  api: FleetApi,
  { namespace, seed }: FleetOptions,
): Promise<readonly Workflow[]> {
  return (await api.list(workflowKind, { namespace, labelSelector: fleetSelector(seed) })).items;
}

/** Removes what simulations have created. With `seed`: only what this run has. Resolves with the number of objects. */
export async function removeSite(
  api: FleetApi,
  { namespace, seed }: { readonly namespace: string; readonly seed?: number },
  progress: Progress,
): Promise<number> {
  let removed = 0;
  const labelSelector = seed === undefined ? FLEET_LABEL : fleetSelector(seed);
  for (const kind of [workflowKind, hardwareKind, templateKind] as readonly KindOf<Resource>[]) {
    const { items } = await api.list(kind, { namespace, labelSelector });
    await eachAtOnce(items, CALLS_AT_ONCE, async ({ metadata }) => {
      await api.remove({ kind, namespace: metadata.namespace, name: metadata.name });
      removed += 1;
      if (removed % 1000 === 0) progress(`removed ${removed} objects`);
    });
  }
  return removed;
}
