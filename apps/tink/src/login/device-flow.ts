/** The device flow (RFC 8628): the person enters a code on a machine that has a browser. */
import { delay } from '@tinkerbell/platform-contract';
import { TinkFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';
import { askIssuer, issuerFailure, textField } from './issuer-request.ts';
import { askForTokens, givenTokens, type GivenTokens, type TokenQuestion } from './token-answer.ts';

export interface DeviceLogin {
  readonly question: TokenQuestion;
  readonly scope: string;
  /** Told what the person has to do. */
  readonly show: (text: string) => void;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** When the provider says nothing (section 3.2), and what is added when it wants less (section 3.5). */
const PAUSE_SECONDS = 5;
/** A provider that says more is not waited for. */
const PAUSE_SECONDS_MAX = 60;

/** Throws a TinkFailure for refusals and for a code that has expired. */
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
    throw new TinkFailure(`the identity provider ${provider.issuer} has no logins by code`, {
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
