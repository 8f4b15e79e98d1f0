/** The connection of a session that redirects the serial port or a drive. */
import type { SessionFailure, SessionSecrets } from '@tinkerbell/amt-redirection';
import type { EndpointStream } from '@tinkerbell/platform-contract';
import { bytesToHex } from '@tinkerbell/wire';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';
import { bmcErrorOf } from '../http/bmc-request.ts';
import { amtPort, type AmtTarget } from './amt-client.ts';
import type { AmtDeps } from './amt-deps.ts';

/** The ports of sessions follow those of WS-Management: 16994 and 16995. */
const PORT_AFTER = 2;
const CLIENT_NONCE_BYTES = 16;
const CODES: Readonly<Record<SessionFailure, BmcErrorCode>> = {
  busy: 'busy',
  unsupported: 'unsupported',
  'wrong-credentials': 'wrong-credentials',
  invalid: 'invalid-answer',
};

/** Rejects with a BmcError. */
export async function openRedirectionStream(
  { openStream }: Pick<AmtDeps, 'openStream'>,
  { target, options, signal }: AmtTarget,
): Promise<EndpointStream> {
  const { host, trust, timeoutMs } = target;
  const tls = options.hostScheme === 'https' ? trust : undefined;
  const port = amtPort(options) + PORT_AFTER;
  return await openStream({ host, port, tls, timeoutMs, signal }).catch((thrown: unknown) => {
    throw bmcErrorOf(thrown);
  });
}

/** Creates a session. Rejects with `wrong-credentials` for a user name that no session can have. */
export function sessionWith<Session>(
  { random, hash }: Pick<AmtDeps, 'random' | 'hash'>,
  create: (secrets: SessionSecrets) => Session,
): Session {
  const clientNonce = bytesToHex(random.bytes(CLIENT_NONCE_BYTES));
  try {
    return create({ md5: (text) => hash('MD5', text), clientNonce });
  } catch (thrown) {
    const message = 'the user name is too long for a session of AMT';
    throw new BmcError('wrong-credentials', message, { cause: thrown });
  }
}

export function sessionError({ failure, message }: { failure: SessionFailure; message: string }): BmcError {
  return new BmcError(CODES[failure], message);
}
