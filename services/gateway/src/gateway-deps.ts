import type { Clock, Log, Random, TokenVerifier } from '@tinkerbell/platform-contract';
import type { ForwardSettings, JwtSettings } from './route-file.ts';

export interface GatewayDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The whole file as text. */
  readonly readFile: (path: string) => Promise<string>;
  /**
   * Returns why a forward is not permitted, as a message for the operator. Absent: every forward is
   * permitted.
   */
  readonly refuseForward?: (forward: ForwardSettings) => string | undefined;
  /** `jwks` is the text of `jwksFile`, if the settings name one. Rejects when it is not a set of keys. */
  readonly verifierFor: (settings: JwtSettings, jwks: string | undefined) => TokenVerifier;
  /** The limit for responses that clients have not taken (default: 72 MiB). */
  readonly heldBytesMax?: number;
}
