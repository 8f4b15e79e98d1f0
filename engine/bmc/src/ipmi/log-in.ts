/** Performs the login: it sends what the machine of `@tinkerbell/ipmi` decides, and runs its timer. */
import {
  cipherSuiteWithId,
  PASSWORD_BYTES_MAX,
  privilegeLevel,
  rakpStatus,
  SHORT_PASSWORD_BYTES_MAX,
  startLogin,
  stepLogin,
  USERNAME_BYTES_MAX,
  type IpmiCrypto,
  type LoginEvent,
  type LoginOutcome,
  type LoginSettings,
  type LoginStep,
  type Session,
} from '@tinkerbell/ipmi';
import { encodeUtf8 } from '@tinkerbell/wire';
import { BmcError } from '../bmc-error.ts';
import type { BmcTarget, DriverDeps } from '../driver.ts';
import type { IpmiChannel } from './ipmi-channel.ts';
import type { IpmiOptions } from './ipmi-deps.ts';
import { loginError } from './ipmi-errors.ts';
import { OneTimer } from './one-timer.ts';

export interface LoginDeps extends DriverDeps {
  readonly crypto: IpmiCrypto;
}

export interface LoginRequest {
  readonly channel: IpmiChannel;
  readonly target: BmcTarget;
  readonly options: IpmiOptions;
  readonly signal: AbortSignal;
}

export interface LoggedIn {
  readonly session: Session;
  /** The privilege level to set. */
  readonly privilege: number;
}

/**
 * Logs in as an administrator, or as an operator where the account may not be more. Every operation of the driver works for an
 * operator.
 */
export async function logIn(deps: LoginDeps, request: LoginRequest): Promise<LoggedIn> {
  const settings = loginSettings(request.target, request.options);
  for (const privilege of [privilegeLevel.administrator, privilegeLevel.operator]) {
    const outcome = await performLogin(deps, request, {
      ...settings,
      privilege,
      clientId: clientIdFrom(deps.random.bytes(4)),
      clientRandom: deps.random.bytes(16),
    });
    if (outcome.kind === 'established') return { session: outcome.session, privilege };
    const { failure } = outcome;
    const mayTryLower = privilege !== privilegeLevel.operator && isRoleRefusal(outcome);
    if (!mayTryLower) throw loginError(failure, request.channel.sendError);
  }
  throw new BmcError('missing-privilege', 'the account may not log in as an operator');
}

type GivenSettings = Pick<LoginSettings, 'username' | 'password' | 'version' | 'suite' | 'timeoutMs'>;

/** Rejects what the protocol cannot carry, before anything is sent. */
function loginSettings(target: BmcTarget, { cipherSuite, version = '2.0' }: IpmiOptions): GivenSettings {
  const { credentials, timeoutMs } = target;
  const { username, password } = credentials;
  if (encodeUtf8(username).length > USERNAME_BYTES_MAX) {
    throw new BmcError('wrong-credentials', `an IPMI username has at most ${USERNAME_BYTES_MAX} bytes`);
  }
  const bytesMax = version === '1.5' ? SHORT_PASSWORD_BYTES_MAX : PASSWORD_BYTES_MAX;
  if (encodeUtf8(password).length > bytesMax) {
    throw new BmcError('wrong-credentials', `a password of IPMI ${version} has at most ${bytesMax} bytes`);
  }
  if (version === '1.5' || cipherSuite === undefined || cipherSuite === '')
    return { username, password, timeoutMs, version };
  const suite = cipherSuiteWithId(Number(cipherSuite));
  if (suite === undefined) {
    throw new BmcError('unsupported', `cipher suite ${cipherSuite} is not supported; use 17 or 3`);
  }
  return { username, password, timeoutMs, suite };
}

function clientIdFrom(bytes: Uint8Array): number {
  const id = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return id === 0 ? 1 : id;
}

function isRoleRefusal(outcome: LoginOutcome): boolean {
  if (outcome.kind !== 'failed' || outcome.failure.reason !== 'refused') return false;
  const { status } = outcome.failure;
  return status === rakpStatus.unauthorizedRole || status === rakpStatus.invalidRole;
}

function performLogin(
  deps: Pick<LoginDeps, 'clock' | 'crypto'>,
  { channel, signal }: LoginRequest,
  settings: LoginSettings,
): Promise<LoginOutcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(aborted());
      return;
    }
    const timer = new OneTimer(deps.clock);
    let step = startLogin(settings);
    const onAbort = (): void => {
      finish();
      reject(aborted());
    };
    const finish = (): void => {
      timer.stop();
      channel.receive = () => undefined;
      signal.removeEventListener('abort', onAbort);
    };
    const perform = (next: LoginStep): void => {
      step = next;
      channel.send(step.sends);
      if (step.timeoutMs !== undefined) timer.start(step.timeoutMs, () => on({ kind: 'timeout' }));
      if (step.outcome === undefined) return;
      finish();
      resolve(step.outcome);
    };
    const on = (event: LoginEvent): void => perform(stepLogin(step.login, event, deps.crypto));
    signal.addEventListener('abort', onAbort, { once: true });
    channel.receive = (bytes) => on({ kind: 'datagram', bytes });
    perform(step);
  });
}

function aborted(): BmcError {
  return new BmcError('aborted', 'the IPMI login was aborted');
}
