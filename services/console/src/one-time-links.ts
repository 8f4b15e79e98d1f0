/** Links that sign in once. The server prints one at its start, for a person who reads its log. */
import { setLatest, type Clock, type Random } from '@tinkerbell/platform-contract';

export interface OneTimeLinks {
  /** Returns a new code, valid once within `LINK_MS`. */
  create(): string;
  /** Returns true if the code is valid, and makes it invalid. */
  take(code: string): boolean;
}

export const LINK_MS = 15 * 60_000;
const CODE_BYTES = 24;
/** The oldest link is dropped. */
const LINKS_MAX = 16;

export function createOneTimeLinks({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: Random;
}): OneTimeLinks {
  const endsMs = new Map<string, number>();
  return {
    create() {
      const code = random.bytes(CODE_BYTES).toHex();
      setLatest(endsMs, [code, clock.nowMs() + LINK_MS], LINKS_MAX);
      return code;
    },
    take(code) {
      const end = endsMs.get(code);
      endsMs.delete(code);
      return end !== undefined && clock.nowMs() < end;
    },
  };
}
