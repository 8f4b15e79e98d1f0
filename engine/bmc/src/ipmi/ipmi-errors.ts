import {
  completion,
  describeCompletion,
  rakpStatus,
  type IpmiRequest,
  type LoginFailure,
} from '@tinkerbell/ipmi';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';

const loginCodes: Readonly<Record<Exclude<LoginFailure['reason'], 'refused'>, BmcErrorCode>> = {
  'no-answer': 'unreachable',
  'stopped-answering': 'timed-out',
  'invalid-answer': 'invalid-answer',
  'ipmi-1.5-only': 'unsupported',
  'no-ipmi-1.5': 'unsupported',
  'no-common-cipher-suite': 'unsupported',
  // A BMC with another password and one that computes digests wrongly look the same.
  'wrong-password': 'wrong-credentials',
  'wrong-final-digest': 'invalid-answer',
};

const statusCodes: Readonly<Partial<Record<number, BmcErrorCode>>> = {
  [rakpStatus.noResources]: 'busy',
  [rakpStatus.invalidSessionId]: 'session-lost',
  [rakpStatus.invalidAuthentication]: 'unsupported',
  [rakpStatus.invalidIntegrity]: 'unsupported',
  [rakpStatus.inactiveSession]: 'session-lost',
  [rakpStatus.invalidRole]: 'missing-privilege',
  [rakpStatus.unauthorizedRole]: 'missing-privilege',
  [rakpStatus.noResourcesForRole]: 'busy',
  [rakpStatus.invalidNameLength]: 'wrong-credentials',
  [rakpStatus.unauthorizedName]: 'wrong-credentials',
  [rakpStatus.invalidDigest]: 'wrong-credentials',
  [rakpStatus.invalidConfidentiality]: 'unsupported',
  [rakpStatus.noMatchingSuite]: 'unsupported',
};

export function loginError(failure: LoginFailure, sendError: Error | undefined): BmcError {
  const options = sendError === undefined ? {} : { cause: sendError };
  if (failure.reason !== 'refused') {
    return new BmcError(loginCodes[failure.reason], `the IPMI login failed: ${failure.detail}`, options);
  }
  const code = statusCodes[failure.status] ?? 'rejected';
  return new BmcError(code, `the BMC refused the IPMI login: ${failure.detail}`, options);
}

const completionCodes: Readonly<Partial<Record<number, BmcErrorCode>>> = {
  [completion.nodeBusy]: 'busy',
  [completion.invalidCommand]: 'unsupported',
  [completion.invalidCommandForUnit]: 'unsupported',
  [completion.timeout]: 'busy',
  [completion.firmwareUpdate]: 'busy',
  [completion.initializing]: 'busy',
  [completion.insufficientPrivilege]: 'missing-privilege',
  [completion.disabled]: 'unsupported',
};

/** Codes of one operation that mean something else than in general. */
export type CompletionMeanings = Readonly<Partial<Record<number, BmcErrorCode>>>;

export interface FailedOperation {
  /** As in `set the boot device`. */
  readonly operation: string;
  readonly request: IpmiRequest;
  readonly completionCode: number;
  readonly meanings?: CompletionMeanings;
}

export function completionError(failed: FailedOperation): BmcError {
  const { operation, request, completionCode, meanings = {} } = failed;
  const code = meanings[completionCode] ?? completionCodes[completionCode] ?? 'rejected';
  const description = describeCompletion(request, completionCode);
  return new BmcError(code, `cannot ${operation}: the BMC answered that ${description}`);
}
