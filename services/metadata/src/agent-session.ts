import { SESSION_HEADER, type HttpRequest } from '@tinkerbell/platform-contract';
import type { Answer } from './answer.ts';
import type { MetadataConfig, MetadataDeps } from './config.ts';
import type { Machine, Visitor } from './visitor.ts';

interface Given {
  readonly request: HttpRequest;
  readonly visitor: Visitor;
  readonly answer: Answer;
}

/** Returns the answer, unless the agent session, or its absence, forbids it. */
export function answerForSession(
  { agentSessions }: Pick<MetadataDeps, 'agentSessions'>,
  { agentSessions: mode }: Pick<MetadataConfig, 'agentSessions'>,
  { request, visitor, answer }: Given,
): Answer | Promise<Answer> {
  // A refused answer reveals nothing.
  if (mode === 'off' || answer.outcome !== 'served') return answer;
  const session = request.headers.get(SESSION_HEADER);
  const { kind } = answer;
  if (session === null)
    return mode === 'required' && !visitor.isLocal ? { kind, outcome: 'session-missing' } : answer;
  const own = visitor.search.ok ? visitor.search.machine : undefined;
  return problemOf(agentSessions, session, answer.machine ?? own).then((problem) =>
    problem === undefined ? answer : { kind, ...problem },
  );
}

type Problem = Pick<Answer, 'outcome' | 'text'>;

async function problemOf(
  sessions: MetadataDeps['agentSessions'],
  session: string,
  machine: Machine | undefined,
): Promise<Problem | undefined> {
  if (sessions === undefined) return { outcome: 'session-refused', text: 'agents have no sessions here\n' };
  try {
    const verified = await sessions.verify(session);
    if (!verified.ok) return { outcome: 'session-refused', text: `${verified.refusal.message}\n` };
    const { namespace, name } = machine?.hardware.metadata ?? {};
    const isOwn = namespace === verified.hardware.namespace && name === verified.hardware.name;
    return isOwn ? undefined : { outcome: 'session-foreign' };
  } catch {
    return { outcome: 'session-unverified' };
  }
}
