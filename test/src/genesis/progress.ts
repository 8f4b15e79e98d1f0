import type { Objects } from './checks.ts';
import type { GuestShell } from '../guest-shell.ts';
import type { Home } from './home.ts';
import type { Seed } from './moves.ts';

/** What the stages hand on. */
export interface Progress {
  seed: Seed;
  home: Home;
  readonly shells: { router?: GuestShell; platform?: GuestShell };
  /** The objects as they were before the loss. */
  saved: Objects;
  readonly problems: string[];
  /** Resolves when the system of the first node has started. */
  firstNodeBooted: Promise<void>;
  /** Ends the following of timelines when the stack leaves its place. */
  following: AbortController;
}
