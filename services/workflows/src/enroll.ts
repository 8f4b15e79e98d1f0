/** Creates a Workflow for an agent that has none, by rule sets (upstream enrollment.go). */
import {
  ENROLLED_LABEL,
  attributesJson,
  enrolledWorkflow,
  enrollmentRefusal,
  existingWorkflow,
  explainRuleSets,
  machineOfAgent,
  matchRuleSets,
  noRuleSetMatched,
  type AgentHardware,
  type AttributesJson,
  type EnrollmentRefusal,
} from '@tinkerbell/enrollment';
import {
  collectionOf,
  primaryMacOf,
  workflowRuleSetKind,
  type Hardware,
  type Workflow,
  type WorkflowRuleSet,
} from '@tinkerbell/resources';
import { Collection, workflowCollection } from '@tinkerbell/store-contract';
import { knownHardware, UNCLEAR } from './discover.ts';
import { createObject } from './new-object.ts';
import type { Newcomer, NewcomerDeps } from './newcomers.ts';

export const ruleSetCollection = new Collection<WorkflowRuleSet>(collectionOf(workflowRuleSetKind));

/** The longest attributes that rules match, in characters of JSON. A large server sends a tenth of that. */
const ATTRIBUTES_MAX = 1024 * 1024;

type Result = 'enrolled' | 'refused' | 'unmatched' | 'exists' | 'cap' | 'rate' | 'error';

interface Refused {
  readonly result: Result;
  readonly refusal: EnrollmentRefusal;
  /** The message is for the operator and is not sent to the agent. */
  readonly explanation?: string;
}

type Outcome = { readonly workflow: Workflow; readonly explanation: string } | Refused;

/**
 * Enrolls an agent without any Workflow. Returns undefined when a Workflow was created now or earlier in this call, or when
 * enrollment is disabled. Hardware is read again each time, because an operator may have approved it meanwhile.
 */
export async function enroll(deps: NewcomerDeps, newcomer: Newcomer): Promise<EnrollmentRefusal | undefined> {
  if (deps.newcomers.enrollment === undefined || newcomer.isEnrolled) return undefined;
  if (newcomer.refusal !== undefined) {
    // Without Hardware, the agent would bypass approval and caps. The reason for the missing Hardware is
    // recorded.
    deps.newcomers.count('enrollment', 'refused');
    return refused(`this machine is not discovered: ${newcomer.refusal}`);
  }
  const owner = ownerOf(deps, newcomer);
  const outcome = 'refusal' in owner ? owner : await attempt(deps, newcomer, owner.hardware);
  const hardware = 'hardware' in owner ? owner.hardware : undefined;
  recordEnrollment(deps, newcomer, { outcome, hardware });
  if ('refusal' in outcome) return outcome.refusal;
  newcomer.isEnrolled = true;
  return undefined;
}

function refused(message: string): EnrollmentRefusal {
  return { code: 'failed-precondition', message };
}

function ownerOf(
  deps: NewcomerDeps,
  newcomer: Newcomer,
): { readonly hardware: Hardware | undefined } | Refused {
  const found = currentHardware(deps, newcomer);
  if (found.kind === 'unclear')
    return { result: 'refused', refusal: refused(UNCLEAR), explanation: found.message };
  if (found.kind === 'unknown') return { hardware: undefined };
  const refusal = enrollmentRefusal(found.hardware, newcomer.isJustDiscovered);
  return refusal === undefined ? found : { result: 'refused', refusal };
}

function currentHardware(deps: NewcomerDeps, newcomer: Newcomer): AgentHardware {
  if (newcomer.hardware === undefined) return knownHardware(deps, newcomer);
  const { namespace, name } = newcomer.hardware.metadata;
  return { kind: 'known', hardware: deps.view.hardwareNamed(namespace, name) ?? newcomer.hardware };
}

async function attempt(
  deps: NewcomerDeps,
  { agentId, attributes: told }: Newcomer,
  hardware: Hardware | undefined,
): Promise<Outcome> {
  const json = told === undefined ? undefined : attributesJson(told);
  const attributes = isTooLarge(json) ? undefined : json;
  const { winner, results } = matchRuleSets(ruleSetsFor(deps, hardware), attributes);
  const explanation =
    attributes === undefined
      ? `the agent sent ${json === undefined ? 'no attributes' : 'attributes of more than 1 MiB'}`
      : explainRuleSets(results);
  if (winner === undefined) return { result: 'unmatched', refusal: noRuleSetMatched(agentId), explanation };
  const made = enrolledWorkflow({ agentId, ruleSet: winner, hardware, attributes });
  if (!made.ok) return { result: 'error', refusal: made.refusal };
  return store(deps, made.workflow, explanation);
}

/** Returns the rule sets that create Workflows in the machine's namespace. For a machine without Hardware it returns all. */
function ruleSetsFor({ view }: NewcomerDeps, hardware: Hardware | undefined): readonly WorkflowRuleSet[] {
  const all = ruleSetCollection.all(view);
  if (hardware === undefined) return all;
  const { namespace } = hardware.metadata;
  return all.filter(({ metadata, spec }) => (spec?.workflow?.namespace || metadata.namespace) === namespace);
}

function isTooLarge(json: AttributesJson | undefined): boolean {
  return json !== undefined && JSON.stringify(json).length > ATTRIBUTES_MAX;
}

async function store(deps: NewcomerDeps, made: Workflow, explanation: string): Promise<Outcome> {
  const { namespace, name } = made.metadata;
  if (deps.view.workflowNamed(namespace, name) !== undefined)
    return { result: 'exists', refusal: existingWorkflow };
  const capped = capOf(deps);
  if (capped !== undefined) return capped;
  const created = await createObject(deps, workflowCollection, made);
  if (created.ok) return { workflow: created.object, explanation };
  if (created.reason === 'already-exists') return { result: 'exists', refusal: existingWorkflow };
  return {
    result: 'error',
    refusal: { code: 'internal', message: `error creating enrollment workflow: ${created.message}` },
  };
}

function capOf(deps: NewcomerDeps): Outcome | undefined {
  const { enrollment } = deps.newcomers;
  if (enrollment === undefined) return undefined;
  const enrolled = workflowCollection
    .all(deps.view)
    .filter(({ metadata }) => metadata.labels?.[ENROLLED_LABEL] === 'true').length;
  if (enrolled >= enrollment.maxEnrolled)
    return {
      result: 'cap',
      refusal: refused(`${enrolled} enrolled workflows exist already; delete those that have ended`),
    };
  if (!deps.newcomers.mayMakeOne(enrollment.rate, deps.clock.monotonicMs()))
    return {
      result: 'rate',
      refusal: refused('many machines are being enrolled; ask again later'),
    };
  return undefined;
}

function recordEnrollment(
  deps: NewcomerDeps,
  { agentId, attributes }: Newcomer,
  { outcome, hardware }: { readonly outcome: Outcome; readonly hardware: Hardware | undefined },
): void {
  const { log, newcomers } = deps;
  const machine = primaryMacOf(hardware) ?? machineOfAgent(agentId, attributes);
  const place = { source: 'agent' as const, ...(machine === undefined ? {} : { machine }) };
  const because = outcome.explanation === undefined ? '' : `; ${outcome.explanation}`;
  if ('refusal' in outcome) {
    const { result, refusal } = outcome;
    newcomers.count('enrollment', result);
    log.debug('agent not enrolled', { agentId, reason: result, detail: refusal.message });
    newcomers.record(deps, agentId, {
      ...place,
      event: 'enrollment-refused',
      message: `agent ${agentId} not enrolled: ${refusal.message}${because}`,
      details: { agent: agentId, reason: result },
    });
    return;
  }
  const { metadata } = outcome.workflow;
  const workflow = `${metadata.namespace}/${metadata.name}`;
  const ruleSet = metadata.ownerReferences?.[0]?.name ?? '';
  newcomers.count('enrollment', 'enrolled');
  log.info('agent enrolled', { agentId, workflow, ruleSet });
  newcomers.record(deps, agentId, {
    ...place,
    workflow,
    event: 'machine-enrolled',
    message: `agent ${agentId} enrolled into workflow ${workflow} by rule set ${ruleSet}${because}`,
    details: { agent: agentId, ruleSet },
  });
}
