import type { Clock, Log, Random, TokenVerifier } from '@tinkerbell/platform-contract';
import type { ForwardSettings, JwtSettings } from './route-file.ts';

export interface GatewayDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The whole file as text. */
  readonly readFile: (path: string) => Promise<string>;
  /** Why a forward may not be, in words for the operator; every forward may when absent. */
  readonly refuseForward?: (forward: ForwardSettings) => string | undefined;
  /** `jwks` is the text of `jwksFile` where the settings name one. Rejects when it is no set of keys. */
  readonly verifierFor: (settings: JwtSettings, jwks: string | undefined) => TokenVerifier;
  /** Of answers that clients have not taken; 72 MiB when absent. */
  readonly heldBytesMax?: number;
}
