/** Causes in the objects: the Template, and the Workflows of the machine. */
import type { Workflow } from '@tinkerbell/resources';
import type { Cause } from './cause.ts';
import { evidenceOf, foundIn, silence } from './cause.ts';
import type { Facts } from '../facts.ts';

const nameOf = ({ metadata }: Workflow): string => `${metadata.namespace}/${metadata.name}`;

function failedRendering({ unfinished }: Facts): Workflow | undefined {
  return unfinished.find(({ status }) => status?.templateRendering === 'failed');
}

/** Workflows that occupy a machine until they end. */
const HOLDING: readonly string[] = ['RUNNING', 'PREPARING', 'POST'];

function holderOf({ unfinished }: Facts): readonly [Workflow, Workflow] | undefined {
  const holder = unfinished.find(({ status }) => HOLDING.includes(status?.state ?? ''));
  const waiting = unfinished.find(({ status }) => status?.state === 'PENDING');
  return holder === undefined || waiting === undefined ? undefined : [holder, waiting];
}

export const workflowCauses: readonly Cause[] = [
  {
    id: 'template-not-rendered',
    sentence: 'The Template of the workflow does not render.',
    shows: 'The status of a workflow of the machine says that rendering failed.',
    against: 'The workflow has been rendered since.',
    advice: [
      'Correct what the evidence names: tink edit template TEMPLATE, or the Hardware that it refers to.',
      'tink workflow create --dry-run renders it without storing anything.',
    ],
    certainty: 'certain',
    find: (facts) => {
      const failed = failedRendering(facts);
      if (failed === undefined) return undefined;
      const records = facts.records.filter(
        ({ event, workflow }) => event === 'rendering-failed' && workflow === nameOf(failed),
      );
      const message = failed.status?.conditions?.find(({ status }) => status === 'False')?.message;
      const sinceMs = Date.parse(failed.metadata.creationTimestamp ?? '') || facts.nowMs;
      const text = `${nameOf(failed)}: ${message ?? 'the template cannot be rendered'}`;
      return {
        ...(foundIn(records.slice(-1)) ?? { evidence: [{ atMs: sinceMs, text }], sinceMs }),
        workflow: nameOf(failed),
        detail: nameOf(failed),
      };
    },
  },
  {
    id: 'workflow-disabled',
    sentence: 'The only workflow of the machine is disabled.',
    shows: 'The machine waits for an action, and each of its workflows that has not ended is disabled.',
    against: 'A workflow that is enabled has not ended.',
    advice: ['Set spec.disabled of the workflow to false with tink apply.'],
    certainty: 'certain',
    find: (facts) => {
      const { unfinished } = facts;
      const areDisabled = unfinished.length > 0 && unfinished.every(({ spec }) => spec?.disabled === true);
      return areDisabled ? silence('agent')(facts) : undefined;
    },
  },
  {
    id: 'workflow-held',
    sentence: 'Another workflow holds the machine.',
    shows:
      'The machine waits for an action. One of its workflows runs without one for it, and another one waits.',
    against: 'Only one workflow of the machine has not ended.',
    advice: [
      'See what the workflow that holds it waits for: tink describe workflow WORKFLOW.',
      'Cancel it, and the next one starts: tink workflow cancel WORKFLOW.',
    ],
    certainty: 'certain',
    find: (facts) => {
      const pair = holderOf(facts);
      const waits = silence('agent')(facts);
      if (pair === undefined || waits === undefined) return undefined;
      const [holder, waiting] = pair;
      return {
        ...waits,
        workflow: nameOf(holder),
        detail: `${nameOf(holder)} is ${holder.status?.state}, and ${nameOf(waiting)} waits`,
      };
    },
  },
  {
    id: 'no-workflow',
    sentence: 'No workflow names the machine.',
    shows: 'The machine runs the in-memory OS and waits for an action, and no Workflow names its Hardware.',
    against: 'A Workflow names it, or one is created by discovery while it waits.',
    advice: [
      'Create one: tink workflow create --template NAME --hardware MACHINE.',
      'If it exists, compare its spec.hardwareRef and its namespace with the Hardware.',
    ],
    certainty: 'certain',
    find: (facts) => {
      if ((facts.workflows ?? []).length > 0 || facts.hardware === undefined) return undefined;
      return silence('agent')(facts);
    },
  },
  {
    id: 'agent-silent',
    sentence: 'The in-memory OS runs, but its agent does not ask for an action.',
    shows: 'The in-memory OS was heard of, and no agent followed within the usual time.',
    against: 'The agent asked for an action.',
    advice: [
      'Let TCP port 42113 (gRPC) through from the machine to this server.',
      'Check the address that the script gives to agents: --ipxe-script-tink-server-addr-port.',
      'Check that the id of the agent (the MAC) is the worker in the Template: tink describe workflow WORKFLOW.',
    ],
    certainty: 'likely',
    find: silence('agent'),
  },
  {
    id: 'agent-lost',
    sentence: 'The agent of a running workflow has fallen silent.',
    shows: 'No message has come from the agent for longer than its limit, while an action runs.',
    against: 'The agent reported afterwards.',
    advice: [
      'Check the console of the machine, and its network link.',
      'Restart it: the workflow continues at its action, if that may be repeated.',
    ],
    certainty: 'certain',
    find: ({ boot }) => {
      const at = boot.findLastIndex(({ event }) => event === 'agent-silent');
      const record = boot[at];
      const isBack = boot.slice(at + 1).some(({ source }) => source === 'agent' || source === 'image');
      return record === undefined || isBack
        ? undefined
        : { evidence: evidenceOf([record]), sinceMs: record.atMs };
    },
  },
];
