/**
 * Calls the server again and again, because the server cannot reach a relay by itself. Each call brings the results of the last orders, and waits
 * for the next ones.
 */
import {
  delay,
  messageOf,
  type Clock,
  type HttpClient,
  type Log,
  type NetworkTrial,
  type NetworkTrialResult,
} from '@tinkerbell/platform-contract';
import type { Ipv4 } from '@tinkerbell/wire';
import {
  allowedIn,
  answerTo,
  ordersIn,
  refusedResult,
  type RelayLimits,
  type RelayOrder,
} from './relay-order.ts';

/** The server waits 20 s. */
export const CALL_MS_MAX = 60_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** A server that answers at once must not keep the relay busy. */
const PAUSE_MS = 250;
const FAILED_PAUSE_MS_MAX = 60_000;

export interface TrialDeps {
  readonly clock: Clock;
  readonly httpClient: HttpClient;
  readonly log: Log;
  /** Tries from the own address `from`. Never rejects. */
  readonly tryNetwork: (trial: NetworkTrial, from: Ipv4) => Promise<NetworkTrialResult>;
}

export interface TrialConfig {
  /** `https://server.example:7080`, without a path. */
  readonly apiUrl: string;
  /** Called before each call, so that the token can be replaced. */
  readonly readToken: () => Promise<string>;
}

/** Resolves after the signal. Never rejects. */
export async function runTrials(
  deps: TrialDeps,
  config: TrialConfig & RelayLimits,
  signal: AbortSignal,
): Promise<void> {
  let answers: readonly object[] = [];
  let failures = 0;
  while (!signal.aborted) {
    try {
      const orders = await call(deps, { ...config, answers }, signal);
      if (failures > 0) deps.log.info('the relay takes orders again', { server: config.apiUrl });
      failures = 0;
      answers = await Promise.all(orders.map(async (one) => answerTo(one, await perform(deps, config, one))));
    } catch (thrown) {
      answers = [];
      if (!signal.aborted) note(deps, config, { thrown, failures });
      failures += 1;
    }
    await delay(deps.clock, Math.min(PAUSE_MS * 2 ** failures, FAILED_PAUSE_MS_MAX), signal);
  }
}

/** One warning for each outage. */
function note(
  { log }: TrialDeps,
  { apiUrl }: TrialConfig,
  { thrown, failures }: { readonly thrown: unknown; readonly failures: number },
): void {
  const fields = { server: apiUrl, error: messageOf(thrown) };
  if (failures === 0) log.warn('the relay cannot take orders of the server', fields);
  else log.debug('the relay cannot take orders of the server', fields);
}

async function perform(
  { tryNetwork }: TrialDeps,
  limits: RelayLimits,
  order: RelayOrder,
): Promise<NetworkTrialResult> {
  const allowed = allowedIn(order, limits);
  return allowed === undefined ? refusedResult(order, limits) : tryNetwork(allowed.trial, allowed.from);
}

interface Call extends TrialConfig, RelayLimits {
  readonly answers: readonly object[];
}

async function call(
  { httpClient, clock }: TrialDeps,
  { apiUrl, readToken, networks, answers }: Call,
  signal: AbortSignal,
): Promise<readonly RelayOrder[]> {
  const tooLong = new AbortController();
  const cancel = clock.schedule(CALL_MS_MAX, () => tooLong.abort());
  try {
    const answer = await httpClient.get(`${apiUrl}/relay-trials`, {
      method: 'POST',
      body: new TextEncoder().encode(JSON.stringify({ networks, answers })),
      headers: { 'content-type': 'application/json' },
      ownHeaders: { authorization: `Bearer ${await readToken()}` },
      mayConnect: () => true,
      signal: AbortSignal.any([signal, tooLong.signal]),
    });
    const text = await textOf(answer.body);
    if (answer.status !== 200) throw new Error(`it answered ${answer.status}: ${text.slice(0, 200)}`);
    return ordersIn(JSON.parse(text));
  } finally {
    cancel();
  }
}

/** Rejects if the body is too long. */
async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw new Error(`its answer has more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
