/**
 * Causes of failed BMC operations. Each has a sentence for operators that names the way out, in `adviceFor`.
 *
 * - `unreachable`: no answer, connection refused, no route, name not found.
 * - `timed-out`: the BMC had answered before, and stopped.
 * - `wrong-credentials`, `locked-account`, `missing-privilege`: the login or the operation was refused.
 * - `untrusted-certificate`, `expired-certificate`: TLS verification failed.
 * - `redirected`: the BMC answers with a redirect to another host. Credentials never follow.
 * - `unsupported`: the BMC does not have the operation, device or option.
 * - `rejected`: the BMC refused the operation with an error of its own, which the message quotes.
 * - `invalid-answer`: bytes, JSON or XML that break the protocol, or an answer for another request.
 * - `too-large`: an answer over the limit of bytes or depth.
 * - `session-lost`: the BMC dropped the session. A new login may help.
 * - `busy`: the BMC asks to try again later (503, node busy).
 * - `not-applied`: the BMC reported success, and the state read back differs.
 * - `aborted`: the caller ended the operation.
 */
export const bmcErrorCodes = [
  'unreachable',
  'timed-out',
  'wrong-credentials',
  'locked-account',
  'missing-privilege',
  'untrusted-certificate',
  'expired-certificate',
  'redirected',
  'unsupported',
  'rejected',
  'invalid-answer',
  'too-large',
  'session-lost',
  'busy',
  'not-applied',
  'aborted',
] as const;
export type BmcErrorCode = (typeof bmcErrorCodes)[number];

/** A failure of a BMC or of the way to it. The message has no credentials and is safe to show. */
export class BmcError extends Error {
  readonly code: BmcErrorCode;

  constructor(code: BmcErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BmcError';
    this.code = code;
  }
}

const advice: Readonly<Record<BmcErrorCode, string>> = {
  unreachable: 'check spec.connection.host, the port, cabling and firewalls',
  'timed-out': 'the BMC may be overloaded or restarting; try again, or restart the BMC',
  'wrong-credentials': 'correct the Secret that spec.connection.authSecretRef names',
  'locked-account': 'unlock the account on the BMC, or wait until the lock ends',
  'missing-privilege': 'give the account the Administrator or Operator role on the BMC',
  'untrusted-certificate':
    'add the authority with --bmc-ca-file, pin the certificate with the annotation tinkerbell.org/bmc-certificate-sha256, or set insecureTLS',
  'expired-certificate': 'renew the certificate of the BMC, or check the clocks',
  redirected: 'set spec.connection.host to the address that the BMC names',
  unsupported: 'use another provider, or another setting',
  rejected: 'see the answer of the BMC',
  'invalid-answer': 'update the firmware of the BMC, or use another provider',
  'too-large': 'update the firmware of the BMC, or use another provider',
  'session-lost': 'try again; check whether another client ends the sessions of this account',
  busy: 'try again later',
  'not-applied': 'the BMC ignores the operation: update its firmware, restart it, or use another provider',
  aborted: 'try again',
};

/** Returns what an operator can do, as a clause without a full stop. */
export function adviceFor(code: BmcErrorCode): string {
  return advice[code];
}
