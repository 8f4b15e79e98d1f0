/** The device flow (RFC 8628): the user enters a code on a machine with a browser. */
import {
  genericGrantRequest,
  initiateDeviceAuthorization,
  ResponseBodyError,
  type DeviceAuthorizationResponse,
  type TokenEndpointResponse,
} from 'openid-client';
import { delay, type Clock } from '@tinkerbell/platform-contract';
import { InterruptedFailure, TinkFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';
import { failureOf } from './issuer-failure.ts';
import type { Provider } from './provider-description.ts';
import { givenTokens, type GivenTokens } from './token-answer.ts';

export interface DeviceLogin {
  readonly provider: Provider;
  readonly scope: string;
  readonly clock: Clock;
  /** Called with instructions for the user. */
  readonly show: (text: string) => void;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Default polling interval (section 3.2), and the increment after slow_down (section 3.5). */
const PAUSE_SECONDS = 5;
/** Longest accepted interval. */
const PAUSE_SECONDS_MAX = 60;

/** Throws a TinkFailure for a rejected login and for an expired code. */
export async function loginByDevice({ provider, scope, clock, show }: DeviceLogin): Promise<GivenTokens> {
  const { configuration, clientId, metadata, issuer } = provider;
  if (metadata.device_authorization_endpoint === undefined)
    throw new TinkFailure(`the identity provider ${issuer} does not support device logins`, {
      advice: 'run tink login without --device, with a browser on this machine',
    });
  const device = await initiateDeviceAuthorization(configuration, { scope }).catch((thrown: unknown) => {
    throw failureOf(thrown, clientId);
  });
  const { verification_uri: place, user_code: code, verification_uri_complete: whole } = device;
  show(`open ${printable(place)} and enter the code ${printable(code)}\n`);
  if (whole !== undefined) show(`or open ${printable(whole)}\n`);
  return givenTokens(provider, clock, tokensFor(device, provider, clock));
}

/** Polls until the user has logged in. The library's own polling notices an interruption only after its pause. */
async function tokensFor(
  { device_code, interval }: DeviceAuthorizationResponse,
  { configuration, reach }: Provider,
  clock: Clock,
): Promise<TokenEndpointResponse> {
  let pauseSeconds = interval ?? PAUSE_SECONDS;
  for (;;) {
    await delay(clock, Math.min(pauseSeconds, PAUSE_SECONDS_MAX) * 1000, reach.signal);
    if (reach.signal.aborted) throw new InterruptedFailure();
    try {
      return await genericGrantRequest(configuration, GRANT, { device_code });
    } catch (thrown) {
      const error = thrown instanceof ResponseBodyError ? thrown.error : '';
      if (error === 'slow_down') pauseSeconds += PAUSE_SECONDS;
      else if (error !== 'authorization_pending') throw thrown;
    }
  }
}
