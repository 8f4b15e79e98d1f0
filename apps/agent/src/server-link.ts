/** The agent's side of whichever protocol the server speaks: ours, else upstream's. */
import type { ActionRequest, ActionStatusRequest } from '@tinkerbell/api/agent';
import type { Assignment, OutputSink } from './assignment.ts';
import type { SessionLink } from './session-link.ts';
import type { CallResult, Fields, WorkflowClient } from './workflow-client.ts';

export interface ServerLink {
  /** The next action; held by the server until there is one. */
  next(request: Fields<ActionRequest>, signal: AbortSignal): Promise<CallResult<Assignment>>;
  report(
    request: Fields<ActionStatusRequest>,
    attempt: number,
    deadlineMs?: number,
  ): Promise<CallResult<undefined>>;
  close(): void;
}

const NO_OUTPUT: OutputSink = { write: () => undefined, settled: () => Promise.resolve() };

/** `known` resolves when the agent has what it proves itself with. Asks for a session first; a server that knows none is spoken to as upstream's agent does, from then on. */
export function createServerLink(
  client: WorkflowClient,
  sessions: SessionLink,
  known: () => Promise<CallResult<undefined>>,
): ServerLink {
  let speaksOurs: boolean | undefined;
  const decide = async (): Promise<CallResult<boolean>> => {
    if (speaksOurs !== undefined) return { ok: true, value: speaksOurs };
    const prepared = await known();
    if (!prepared.ok) return prepared;
    const hello = await sessions.open();
    if (!hello.ok) return hello;
    speaksOurs = hello.value === 'open';
    return { ok: true, value: speaksOurs };
  };
  return {
    async next(request, signal) {
      const ours = await decide();
      if (!ours.ok) return ours;
      if (ours.value) return sessions.next(signal);
      const answer = await client.getAction(request, signal);
      if (!answer.ok) return answer;
      const cancelled = new AbortController().signal;
      return { ok: true, value: { action: answer.value, attempt: 0, cancelled, output: NO_OUTPUT } };
    },
    async report(request, attempt, deadlineMs) {
      const ours = await decide();
      if (!ours.ok) return ours;
      return ours.value && attempt > 0
        ? sessions.report(request, attempt, deadlineMs)
        : client.report(request, deadlineMs);
    },
    close() {
      sessions.close();
      client.close();
    },
  };
}
