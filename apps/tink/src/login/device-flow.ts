/** The device flow (RFC 8628): the user enters a code on a machine with a browser. */
import { delay } from '@tinkerbell/platform-contract';
import { TinkFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';
import { askIssuer, issuerFailure, textField } from './issuer-request.ts';
import { askForTokens, givenTokens, type GivenTokens, type TokenQuestion } from './token-answer.ts';

export interface DeviceLogin {
  readonly question: TokenQuestion;
  readonly scope: string;
  /** Called with instructions for the user. */
  readonly show: (text: string) => void;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Default polling interval (section 3.2), and the increment after slow_down (section 3.5). */
const PAUSE_SECONDS = 5;
/** Longest accepted interval. */
const PAUSE_SECONDS_MAX = 60;

/** Throws a TinkFailure for a rejected login and for an expired code. */
export async function loginByDevice({ question, scope, show }: DeviceLogin): Promise<GivenTokens> {
  const { reach, clock } = question;
  const { device, code, place, whole, interval } = await codeFor(question, scope);
  show(`open ${printable(place)} and enter the code ${printable(code)}\n`);
  if (whole !== undefined) show(`or open ${printable(whole)}\n`);
  let pauseSeconds = interval;
  for (;;) {
    await delay(clock, Math.min(pauseSeconds, PAUSE_SECONDS_MAX) * 1000, reach.signal);
    if (reach.signal.aborted) throw new TinkFailure('interrupted');
    const answer = await askForTokens(question, { grant_type: GRANT, device_code: device });
    const error = textField(answer.fields, 'error');
    if (error === 'slow_down') pauseSeconds += PAUSE_SECONDS;
    else if (error !== 'authorization_pending') return givenTokens(question, answer);
  }
}

async function codeFor({ provider, clientId, reach }: TokenQuestion, scope: string) {
  if (provider.deviceUrl === undefined)
    throw new TinkFailure(`the identity provider ${provider.issuer} does not support device logins`, {
      advice: 'run tink login without --device, with a browser on this machine',
    });
  const { status, fields } = await askIssuer(provider.deviceUrl, reach, { client_id: clientId, scope });
  const device = textField(fields, 'device_code');
  const code = textField(fields, 'user_code');
  const place = textField(fields, 'verification_uri');
  if (status !== 200 || device === undefined || code === undefined || place === undefined) {
    const error = textField(fields, 'error') ?? `status ${status}`;
    throw issuerFailure(error, textField(fields, 'error_description'), clientId);
  }
  const interval = typeof fields['interval'] === 'number' ? fields['interval'] : PAUSE_SECONDS;
  return { device, code, place, whole: textField(fields, 'verification_uri_complete'), interval };
}
