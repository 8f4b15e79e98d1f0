/** HTTP requests to a BMC, or to a service that stands for one, with failures as a BmcError. */
import {
  EndpointError,
  type EndpointAnswer,
  type EndpointFailure,
  type EndpointHttp,
  type EndpointRequest,
} from '@tinkerbell/platform-contract';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';

const codes: Readonly<Record<EndpointFailure, BmcErrorCode>> = {
  unreachable: 'unreachable',
  'timed-out': 'timed-out',
  'untrusted-certificate': 'untrusted-certificate',
  'expired-certificate': 'expired-certificate',
  broken: 'session-lost',
  'too-large': 'too-large',
  aborted: 'aborted',
};

/** Rejects with a BmcError. An answer of any status resolves, except a redirect. */
export async function bmcRequest(
  http: EndpointHttp,
  url: URL,
  request: EndpointRequest,
): Promise<EndpointAnswer> {
  const answer = await http.request(url, request).catch((thrown: unknown) => {
    throw bmcErrorOf(thrown);
  });
  if (answer.status < 300 || answer.status >= 400) return answer;
  const to = answer.headers.get('location') ?? 'nowhere';
  throw new BmcError('redirected', `${url.host} redirects to ${to}, which gets no credentials`);
}

/** Returns a BmcError as it is, and for a failed connection. Throws every other error. */
export function bmcErrorOf(thrown: unknown): BmcError {
  if (thrown instanceof BmcError) return thrown;
  if (thrown instanceof EndpointError)
    return new BmcError(codes[thrown.code], thrown.message, { cause: thrown });
  throw thrown;
}

/** The code of an answer that reports a failure. */
export function codeOfStatus(status: number): BmcErrorCode {
  if (status === 401) return 'wrong-credentials';
  if (status === 403) return 'missing-privilege';
  if (status === 429 || status === 503) return 'busy';
  return 'rejected';
}
