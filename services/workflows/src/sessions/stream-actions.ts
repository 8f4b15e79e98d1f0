/** Streams actions one after the other as they become available, and cancellations of the agent's current one. */
import { create } from '@bufbuild/protobuf';
import {
  ActionsResponseSchema,
  type ActionsRequest,
  type ActionsResponse,
  type Attempt,
} from '@tinkerbell/api/agent-v1';
import { actionAt, isTerminal } from '@tinkerbell/workflow';
import { actionResponse } from '../agent-messages.ts';
import { discover } from '../discover.ts';
import { Ending } from '../ending.ts';
import { Hold } from '../hold.ts';
import { offerAction, type GetActionDeps } from '../get-action.ts';
import type { ResponseStream, Sender } from '../grpc/calls.ts';
import type { Admit, Speaker } from '../identity/agent-door.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import type { WaitingAgents } from '../waiting-agents.ts';
import { attemptKey, attemptOf, namesOf } from './attempt.ts';
import type { NextAction, Session } from './sessions.ts';

export interface StreamActionsDeps extends GetActionDeps {
  /** Woken at every change of a workflow in which the agent has a task. */
  readonly concerned: WaitingAgents;
}

/** Never resolves: the stream lasts as long as the session. Rejects with an RpcError. */
export async function streamActions(
  deps: StreamActionsDeps,
  { sessionId, running }: ActionsRequest,
  { out, admit }: StreamEnds,
): Promise<void> {
  const session = deps.sessions.live(sessionId);
  const { agentId } = session;
  // The end of an action is also sent when the workflow is over. An agent that gets one is asked again.
  await admit({ agentId, purpose: 'report' });
  // Meanwhile a newer session may have begun.
  deps.sessions.live(sessionId);
  const ended = new Ending();
  session.stream?.end();
  session.stream = ended;
  session.give = (given) => out.send(given);
  session.admit = () => admit({ agentId, purpose: 'read' });
  out.ending.onEnd(() => ended.end());
  try {
    await giveOrders(deps, { session, running, out, ended, admit: session.admit });
  } finally {
    if (session.stream === ended) {
      session.stream = undefined;
      session.give = undefined;
      session.admit = undefined;
    }
  }
  deps.sessions.live(sessionId);
  throw out.ending.isOver
    ? new RpcError('unavailable', 'server shutting down')
    : new RpcError('aborted', 'the agent has opened its stream of actions again');
}

interface StreamEnds {
  readonly out: ResponseStream<ActionsResponse>;
  readonly admit: Admit;
}

interface Conversation {
  readonly session: Session;
  readonly running: Attempt | undefined;
  readonly out: Sender<ActionsResponse>;
  readonly ended: Ending;
  readonly admit: () => Promise<Speaker>;
}

async function giveOrders(
  deps: StreamActionsDeps,
  { session, running, out, ended, admit }: Conversation,
): Promise<void> {
  const { agentId, attributes } = session;
  const who = { agentId, agentAttributes: attributes };
  let newcomer = await discover(deps, who);
  let held = running;
  let idle: string | undefined;
  using hold = new Hold(deps, ended);
  while (!ended.isOver) {
    hold.listen(deps.concerned, agentId);
    const next = await handedOver(deps, session);
    if (next !== undefined) {
      held = attemptOf(next.workflow, next.place);
      idle = undefined;
      await out.send(startOf(deps, next));
    }
    const over = held === undefined ? undefined : whyOver(deps, session, held);
    if (held !== undefined && over !== undefined) {
      if (session.reported !== attemptKey(held))
        await out.send(order({ case: 'cancel', value: { attempt: held, reason: over } }));
      held = undefined;
    }
    if (held === undefined) {
      const offered = await offerAction(deps, newcomer, { speaker: await admit(), sessionId: session.id });
      if ('place' in offered) {
        held = attemptOf(offered.workflow, offered.place);
        idle = undefined;
        await out.send(startOf(deps, offered));
      } else if (offered.nothing.message !== idle) {
        idle = offered.nothing.message;
        await out.send(order({ case: 'idle', value: { reason: idle } }));
      }
    }
    const isFree = held === undefined;
    // A newcomer may have been refused because of many others, and a view that lists again reports no change.
    if ((await hold.wait(() => isFree && hasNothing(deps, agentId))) === 'time')
      newcomer = await discover(deps, who);
    hold.renew();
  }
}

/** Another look would find nothing. Thousands of agents wait like this, and each look leaves garbage. */
function hasNothing({ view, newcomers }: StreamActionsDeps, agentId: string): boolean {
  const { discovery, enrollment } = newcomers;
  return (discovery ?? enrollment) === undefined && view.workflowsByAgent(agentId).length === 0;
}

/** Returns an action that was assigned with the report of the one before, unless its workflow has changed since. */
async function handedOver({ view }: StreamActionsDeps, session: Session): Promise<NextAction | undefined> {
  const { handover } = session;
  const next = await handover;
  if (next === undefined) return undefined;
  const { namespace, name, resourceVersion } = next.workflow.metadata;
  if (view.workflowNamed(namespace, name)?.metadata.resourceVersion !== resourceVersion) return undefined;
  if (session.handover === handover) session.handover = undefined;
  return next;
}

function startOf({ clock }: StreamActionsDeps, { workflow, place }: NextAction): ActionsResponse {
  const { attempt = 1, retries = 0, retried = 0 } = place.action;
  const action = actionResponse(workflow, place, clock.nowMs());
  return order({ case: 'start', value: { action, attempt, retries, retried } });
}

/** Returns why an attempt must not continue, and undefined while it may. */
function whyOver(deps: StreamActionsDeps, { agentId }: Session, held: Attempt): string | undefined {
  const { namespace, name } = namesOf(held);
  const status = deps.view.workflowNamed(namespace, name)?.status;
  if (status === undefined) return 'the workflow was deleted';
  const action = actionAt(status, agentId, held.actionId)?.action;
  if (action === undefined) return 'the action is no longer in the workflow';
  const { attempt = 0, message = 'it was ended' } = action;
  if (attempt > held.number) return `attempt ${attempt} of the action has begun`;
  if (isTerminal(status.state)) return `the workflow is ${status.state}: ${message}`;
  const isOver = isTerminal(action.state) || (attempt === held.number && action.again === true);
  return isOver ? message : undefined;
}

type Order = Exclude<Parameters<typeof create<typeof ActionsResponseSchema>>[1], undefined>['order'];

function order(value: Order): ActionsResponse {
  return create(ActionsResponseSchema, value === undefined ? {} : { order: value });
}
