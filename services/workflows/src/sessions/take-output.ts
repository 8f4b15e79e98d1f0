/** Receives lines of the running action's output, acknowledged by position, and heartbeats. */
import { create } from '@bufbuild/protobuf';
import {
  Line_Stream as LineStream,
  OutputResponseSchema,
  type Lines,
  type OutputRequest,
  type OutputResponse,
} from '@tinkerbell/api/agent-v1';
import { secretsOf } from '@tinkerbell/api/redaction';
import type { Clock } from '@tinkerbell/platform-contract';
import { primaryMacOf } from '@tinkerbell/resources';
import type { Journal, View } from '@tinkerbell/store-contract';
import { actionAt } from '@tinkerbell/workflow';
import type { WorkflowsMetrics } from '../metrics.ts';
import type { EachRequest, Sender } from '../grpc/calls.ts';
import type { Admit } from '../identity/agent-door.ts';
import { ActionOutput, type OutputStream } from './action-output.ts';
import { attemptKey, namesOf } from './attempt.ts';
import type { Session, Sessions } from './sessions.ts';

interface Deps {
  readonly sessions: Sessions;
  readonly view: View;
  readonly journal: Journal;
  readonly metrics: Pick<WorkflowsMetrics, 'outputLines'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Lines arrive many times a second. */
const ADMITTED_MS = 1000;

/** The answer to every heartbeat. */
const HEARD = create(OutputResponseSchema);

const streamNames: Readonly<Record<number, OutputStream>> = {
  [LineStream.STDOUT]: 'stdout',
  [LineStream.STDERR]: 'stderr',
  [LineStream.PROGRESS]: 'progress',
};

/** Ends when the agent ends it. Rejects with an RpcError as soon as the session is not live. */
export async function takeOutput(
  deps: Deps,
  each: EachRequest<OutputRequest>,
  { out, admit }: { readonly out: Sender<OutputResponse>; readonly admit: Admit },
): Promise<void> {
  let askedMs = Number.NEGATIVE_INFINITY;
  let asked: Session | undefined;
  await each(async ({ sessionId, payload }) => {
    const session = deps.sessions.live(sessionId, asked);
    const nowMs = deps.clock.monotonicMs();
    if (asked !== session || nowMs - askedMs >= ADMITTED_MS) {
      await admit({ agentId: session.agentId, purpose: 'report' });
      asked = session;
      askedMs = nowMs;
    }
    await out.send(
      payload.case === 'lines'
        ? create(OutputResponseSchema, takeLines(deps, session, payload.value))
        : HEARD,
    );
  });
}

/** Lines of an action that is not assigned to the agent are acknowledged and dropped, because nobody can read them. */
function takeLines(deps: Deps, session: Session, { attempt, lines }: Lines) {
  const position = lines.at(-1)?.position ?? 0n;
  if (attempt === undefined) return { position };
  const key = attemptKey(attempt);
  const output = session.output?.key === key ? session.output : openOutput(deps, session, { attempt, key });
  if (output === undefined) {
    deps.metrics.outputLines.add({ outcome: 'dropped' }, lines.length);
    return { attempt, position };
  }
  for (const { position: at, stream, text } of lines)
    output.take({
      position: Number(at),
      stream: streamNames[stream] ?? 'stdout',
      text: Buffer.from(text).toString(),
    });
  return { attempt, position: BigInt(output.position) };
}

function openOutput(
  deps: Deps,
  session: Session,
  { attempt, key }: { attempt: NonNullable<Lines['attempt']>; key: string },
): ActionOutput | undefined {
  const { namespace, name } = namesOf(attempt);
  const workflow = deps.view.workflowNamed(namespace, name);
  const place = actionAt(workflow?.status ?? {}, session.agentId, attempt.actionId);
  if (workflow === undefined || place === undefined) return undefined;
  // Each attempt has its own limit.
  if (attempt.number > (place.action.attempt ?? 1)) return undefined;
  session.output?.finish();
  const { task, action } = place;
  const machine = primaryMacOf(deps.view.hardwareNamed(namespace, workflow.spec?.hardwareRef ?? ''));
  const source = {
    workflow: attempt.workflowId,
    ...(machine === undefined ? {} : { machine }),
    task: task.name,
    action: action.name ?? '',
    attempt: attempt.number,
    secrets: secretsOf({ ...task.environment, ...action.environment }),
  };
  session.output = new ActionOutput(key, source, deps);
  return session.output;
}
