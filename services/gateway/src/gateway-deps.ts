import type { Clock, Log, Random, TokenVerifier } from '@tinkerbell/platform-contract';
import type { JwtSettings } from './route-file.ts';

export interface GatewayDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The whole file as text. */
  readonly readFile: (path: string) => Promise<string>;
  /** `jwks` is the text of `jwksFile` where the settings name one. Rejects when it is no set of keys. */
  readonly verifierFor: (settings: JwtSettings, jwks: string | undefined) => TokenVerifier;
}
