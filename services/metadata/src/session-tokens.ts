import type { Clock, Random } from '@tinkerbell/platform-contract';
import { bytesToHex } from '@tinkerbell/wire';

const TOKEN_BYTES = 32;
/** Six hours, EC2's limit. */
export const LIFETIME_SECONDS_MAX = 21_600;
/** A client that requests more loses its oldest. */
const TOKENS_PER_CLIENT_MAX = 16;

export interface SessionTokens {
  /** Returns a token that only this address may use, for that many seconds. */
  issue(address: string, lifetimeSeconds: number): string;
  isValid(address: string, token: string): boolean;
}

interface Token {
  readonly text: string;
  readonly endsMs: number;
}

/** Kept in memory: a restart ends them, and clients fetch new ones as they do on expiry. Issue them only to known machines. */
export function createSessionTokens(deps: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Pick<Random, 'bytes'>;
}): SessionTokens {
  const tokens = new Map<string, readonly Token[]>();
  const liveOf = (address: string) => {
    const nowMs = deps.clock.monotonicMs();
    return (tokens.get(address) ?? []).filter(({ endsMs }) => nowMs < endsMs);
  };
  return {
    issue(address, lifetimeSeconds) {
      const text = bytesToHex(deps.random.bytes(TOKEN_BYTES));
      const endsMs = deps.clock.monotonicMs() + lifetimeSeconds * 1000;
      tokens.set(address, [...liveOf(address), { text, endsMs }].slice(-TOKENS_PER_CLIENT_MAX));
      return text;
    },
    isValid: (address, token) => liveOf(address).some(({ text }) => text === token),
  };
}

/** Parses 1 to 21600 seconds in decimal. Returns undefined for anything else. */
export function parseLifetime(text: string | null): number | undefined {
  const seconds = /^[1-9]\d{0,4}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return seconds <= LIFETIME_SECONDS_MAX ? seconds : undefined;
}
