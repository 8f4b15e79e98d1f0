import type { OpenEndpointHttp, Random } from '@tinkerbell/platform-contract';
import type { DigestHash } from '@tinkerbell/wsman';

export interface AmtDeps {
  readonly openHttp: OpenEndpointHttp;
  readonly random: Random;
  readonly hash: DigestHash;
}

/** `spec.connection.providerOptions.intelAMT`. */
export interface AmtOptions {
  readonly hostScheme?: 'http' | 'https';
  readonly port?: number;
}
