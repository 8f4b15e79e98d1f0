/** What a refusal of a Redfish service means. */
import { messagesOf, type RedfishMessage, type RedfishObject } from '@tinkerbell/redfish';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';
import { codeOfStatus } from '../http/bmc-request.ts';

export interface Refusal {
  readonly status: number;
  readonly body: RedfishObject;
}

/** A refusal with what the service says about it. */
export class RefusalError extends BmcError {
  readonly messages: readonly RedfishMessage[];

  constructor(code: BmcErrorCode, message: string, messages: readonly RedfishMessage[]) {
    super(code, message);
    this.messages = messages;
  }
}

/** Names of the base registry (DSP0268). All of them mean that nothing was done. */
const codesOfMessages: Readonly<Partial<Record<string, BmcErrorCode>>> = {
  NoValidSession: 'session-lost',
  AccountForSessionNoLongerExists: 'session-lost',
  InsufficientPrivilege: 'missing-privilege',
  PasswordChangeRequired: 'missing-privilege',
  SessionLimitExceeded: 'busy',
  ResourceInUse: 'busy',
  ServiceTemporarilyUnavailable: 'busy',
  ServiceShuttingDown: 'busy',
  ActionNotSupported: 'unsupported',
  ActionParameterUnknown: 'unsupported',
  ActionParameterNotSupported: 'unsupported',
  ActionParameterValueNotInList: 'unsupported',
  PropertyUnknown: 'unsupported',
  PropertyNotWritable: 'unsupported',
  PropertyValueNotInList: 'unsupported',
};

/** 502 and 504 come from the web server in front of a service that restarts. */
const codesOfStatus: Readonly<Partial<Record<number, BmcErrorCode>>> = {
  404: 'unsupported',
  405: 'unsupported',
  501: 'unsupported',
  502: 'busy',
  504: 'busy',
};

const LOCKED = /\block(?:ed)?(?:[ -]?out)?\b|LockedOut|AccountLocked/i;

export function isLocked({ status, body }: Refusal): boolean {
  const messages = messagesOf(body);
  return (
    [400, 401, 403].includes(status) &&
    messages.some(({ name, text }) => LOCKED.test(name) || LOCKED.test(text))
  );
}

/** `what` is what was refused: `PATCH /redfish/v1/Systems/1`. With a token, status 401 means that the session has ended. */
export function refusalError(
  refusal: Refusal,
  { what, hasToken }: { readonly what: string; readonly hasToken: boolean },
): RefusalError {
  const messages = messagesOf(refusal.body);
  const texts = messages.map(({ text }) => text).filter((text) => text !== '');
  const why = texts.length === 0 ? '' : `: ${texts.join('; ')}`;
  const message = `the BMC answered ${refusal.status} to ${what}${why}`;
  return new RefusalError(codeOf(refusal, messages, hasToken), message, messages);
}

function codeOf(refusal: Refusal, messages: readonly RedfishMessage[], hasToken: boolean): BmcErrorCode {
  if (isLocked(refusal)) return 'locked-account';
  if (refusal.status === 401) return hasToken ? 'session-lost' : 'wrong-credentials';
  const named = messages.map(({ name }) =>
    Object.hasOwn(codesOfMessages, name) ? codesOfMessages[name] : undefined,
  );
  return (
    named.find((code) => code !== undefined) ?? codesOfStatus[refusal.status] ?? codeOfStatus(refusal.status)
  );
}
