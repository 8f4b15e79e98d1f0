import type { Clock, OpenEndpointHttp, OpenEndpointStream, Random } from '@tinkerbell/platform-contract';
import type { DigestHash } from '@tinkerbell/wsman';

export interface AmtDeps {
  readonly clock: Clock;
  readonly openHttp: OpenEndpointHttp;
  readonly openStream: OpenEndpointStream;
  readonly random: Random;
  readonly hash: DigestHash;
}

/** `spec.connection.providerOptions.intelAMT`. */
export interface AmtOptions {
  readonly hostScheme?: 'http' | 'https';
  readonly port?: number;
}
