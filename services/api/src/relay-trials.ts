/**
 * `POST /relay-trials`: a relay agent brings what became of its last orders, and waits for the next ones. The name of the relay is that of the
 * ServiceAccount whose token it has.
 */
import type { Authorizer, HttpContext, HttpRequest } from '@tinkerbell/platform-contract';
import { permit, userOf } from './access/question.ts';
import { ApiError, tooMany } from './api-error.ts';
import { json, methodNotAllowed } from './api-response.ts';
import type { OpenStreams } from './open-streams.ts';
import { readJsonQuestion } from './request-body.ts';

/** The path in `nonResourceURLs` of roles. */
export const RELAY_TRIALS = '/relay-trials';

type Polled =
  | { readonly ok: true; readonly orders: readonly object[] }
  | { readonly ok: false; readonly kind: 'invalid' | 'taken' | 'full'; readonly message: string };

export interface RelayDesk {
  isConnected(name: string): boolean;
  poll(
    account: { readonly namespace: string; readonly name: string },
    body: unknown,
    signal: AbortSignal,
  ): Promise<Polled>;
}

export interface RelayTrialsDeps {
  readonly authorizer: Authorizer;
  readonly streams: OpenStreams;
  /** Undefined if the doctor is disabled. */
  readonly checks?: { readonly relays: RelayDesk };
}

const RETRY_SECONDS = 60;

export async function relayTrialsAnswer(
  { authorizer, streams, checks }: RelayTrialsDeps,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response> {
  const user = userOf(context);
  permit(authorizer, user, { asked: { verb: 'post', path: RELAY_TRIALS } });
  if (request.method !== 'POST') return methodNotAllowed(request);
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user.name) ?? [];
  if (namespace === undefined || name === undefined)
    throw new ApiError('Forbidden', 'a relay needs a token of its own: tink token create NAME --role relay');
  if (checks === undefined)
    throw new ApiError('NotFound', 'the server asks no relays; start it with --enable-doctor');
  const body = await readJsonQuestion(request);
  return streams.open(context, async () => {
    const polled = await checks.relays.poll({ namespace, name }, body, context.signal);
    if (polled.ok) return json({ orders: polled.orders });
    if (polled.kind === 'full') throw tooMany(polled.message, RETRY_SECONDS);
    throw new ApiError(polled.kind === 'taken' ? 'Conflict' : 'BadRequest', polled.message);
  });
}
