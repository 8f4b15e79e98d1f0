import { ActionError, agentSession, type ActionContext } from '@tinkerbell/action-kit';
import { delay, messageOf } from '@tinkerbell/platform-contract';

const ATTEMPTS_MAX = 5;
const BACKOFF_FIRST_MS = 500;
/** The start of an error page, for the message. */
const ANSWER_CHARACTERS = 300;

/** Repeats a request that may succeed later. @throws ActionError when the server does not accept it. */
export async function postJson(url: URL, text: string, context: ActionContext): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await attemptPost(url, text, context.signal);
    if (problem === undefined) return;
    if (!problem.mayPass || attempt >= ATTEMPTS_MAX)
      throw new ActionError(`DEST_URL=${url.href} did not accept the inventory: ${problem.reason}`);
    context.log.warn('the inventory is sent again', { reason: problem.reason, attempt });
    await delay(context.clock, BACKOFF_FIRST_MS * 2 ** attempt, context.signal);
  }
}

async function attemptPost(
  url: URL,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly reason: string; readonly mayPass: boolean } | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...agentSession.headersFor(url) },
      body,
      signal,
      // A POST that is redirected may become a GET, and the session is for this origin only.
      redirect: 'manual',
    });
    const start = await startOf(response);
    if (response.ok) return undefined;
    const mayPass = response.status >= 500 || response.status === 429;
    return { reason: `status ${response.status} ${JSON.stringify(start)}`, mayPass };
  } catch (cause) {
    if (signal.aborted) throw cause;
    const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
    return { reason: messageOf(inner), mayPass: true };
  }
}

async function startOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= ANSWER_CHARACTERS) break;
  }
  return text.slice(0, ANSWER_CHARACTERS);
}
