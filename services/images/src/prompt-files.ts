/**
 * A directory on another host may hang while that host is unreachable, and each hanging call holds one of the few threads that
 * serve all files of the process. So few checks run at once, each with a time limit, and while some hang, others fail at once.
 */
import { PlatformError, type Clock, type Files } from '@tinkerbell/platform-contract';

/** Node has four threads. */
const LOOKS_MAX = 2;
export const LOOK_MS_MAX = 5_000;

type Looks = Pick<Files, 'stat' | 'readRange'>;

/** Serves the same files. A call that is too slow rejects with a PlatformError `unavailable`. */
export function promptFiles(files: Looks, clock: Pick<Clock, 'schedule'>): Looks {
  const waiting: (() => void)[] = [];
  let running = 0;
  let late = 0;

  /** Runs in its turn, even when nobody waits for it any more. */
  async function inTurn<Value>(look: () => Promise<Value>, isWanted: () => boolean): Promise<Value> {
    if (running < LOOKS_MAX) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      if (!isWanted()) throw unavailable();
      return await look();
    } finally {
      // A waiting call takes over the slot.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  function prompt<Value>(look: () => Promise<Value>): Promise<Value> {
    if (late > 0 && running >= LOOKS_MAX) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      let isLate = false;
      const cancel = clock.schedule(LOOK_MS_MAX, () => {
        isLate = true;
        late += 1;
        reject(unavailable());
      });
      const ended = () => {
        cancel();
        if (isLate) late -= 1;
      };
      inTurn(look, () => !isLate)
        .finally(ended)
        .then(resolve, reject);
    });
  }

  return {
    stat: (root, path) => prompt(() => files.stat(root, path)),
    readRange: (root, path, range) => prompt(() => files.readRange(root, path, range)),
  };
}

function unavailable(): PlatformError {
  return new PlatformError('unavailable', `the directory has not answered for ${LOOK_MS_MAX / 1000} s`);
}
