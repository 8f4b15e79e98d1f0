import type {
  Clock,
  HttpClient,
  HttpTarget,
  OpenEndpointHttp,
  OpenEndpointStream,
  Random,
} from '@tinkerbell/platform-contract';
import type { DigestHash } from '@tinkerbell/wsman';

export interface AmtDeps {
  readonly clock: Clock;
  readonly openHttp: OpenEndpointHttp;
  readonly openStream: OpenEndpointStream;
  readonly random: Random;
  readonly hash: DigestHash;
  /** Fetches the images that are served to machines as discs. */
  readonly httpClient: HttpClient;
  /** Returns which addresses may be connected to for an image of this URL. */
  readonly mayFetch: (url: string) => (target: HttpTarget) => boolean;
}

/** `spec.connection.providerOptions.intelAMT`. */
export interface AmtOptions {
  readonly hostScheme?: 'http' | 'https';
  readonly port?: number;
}
