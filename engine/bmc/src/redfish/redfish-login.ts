/** The login: a session where the service has them, else user name and password with each request (DSP0266, section "Authentication"). */
import { idOf, SERVICE_ROOT_PATH, serviceRootOf, type ServiceRoot } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import type { BmcCredentials } from '../driver.ts';
import type { RedfishConnection } from './redfish-connection.ts';
import type { Reply, Send } from './redfish-exchange.ts';
import { isLocked } from './refusal.ts';

/** Clients may know it in advance (DSP0266, section "Session login"). */
const SESSIONS_PATH = '/redfish/v1/SessionService/Sessions';
/** The service has no sessions, or does not let clients create them. */
const WITHOUT_SESSIONS: readonly number[] = [404, 405, 501];

export interface Login {
  readonly credentials: BmcCredentials;
  readonly useBasicAuth: boolean;
}

/** Returns the service root, read with the rights of the account. */
export async function logIn(
  connection: RedfishConnection,
  { credentials, useBasicAuth }: Login,
): Promise<ServiceRoot> {
  const open = await openRoot(connection);
  const sessions = open === undefined ? SESSIONS_PATH : sessionsOf(open);
  const hasSession =
    !useBasicAuth &&
    sessions !== undefined &&
    (await connection.createSession(() => createSession(connection, sessions, credentials)));
  if (!hasSession) connection.useBasic(credentials);
  return open ?? serviceRootOf((await connection.get(SERVICE_ROOT_PATH)).fields);
}

/** Undefined: this service reveals its root only after the login, against section "Authentication requirements". */
async function openRoot(connection: RedfishConnection): Promise<ServiceRoot | undefined> {
  const send: Send = { method: 'GET', path: SERVICE_ROOT_PATH };
  const reply = await connection.exchange(send);
  if (reply.status === 401) return undefined;
  if (reply.status !== 200) throw connection.refusal(send, reply);
  return serviceRootOf(reply.body);
}

function sessionsOf({ sessions, sessionService }: ServiceRoot): string | undefined {
  if (sessions !== undefined) return sessions;
  return sessionService === undefined ? undefined : `${sessionService.replace(/\/$/, '')}/Sessions`;
}

async function createSession(
  connection: RedfishConnection,
  path: string,
  { username, password }: BmcCredentials,
): Promise<boolean> {
  const send: Send = { method: 'POST', path, body: { UserName: username, Password: password } };
  const reply = await connection.exchange(send);
  if (WITHOUT_SESSIONS.includes(reply.status)) return false;
  if (reply.status >= 300) throw loginRefusal(connection, send, reply);
  if (reply.token === undefined)
    throw new BmcError('invalid-answer', `the BMC created a session without the header X-Auth-Token`);
  connection.useToken(reply.token, reply.location ?? idOf(reply.body));
  return true;
}

/** HPE answers a wrong password with 400 and UnauthorizedLoginAttempt. */
function loginRefusal(connection: RedfishConnection, send: Send, reply: Reply): BmcError {
  const error = connection.refusal(send, reply);
  if (reply.status !== 400 || isLocked(reply) || !/login|credential|password/i.test(error.message))
    return error;
  return new BmcError('wrong-credentials', error.message);
}
