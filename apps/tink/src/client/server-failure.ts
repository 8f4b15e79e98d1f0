/** Errors of the connection and of the server, with advice. */
import { codeOf, messageOf } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import { TinkFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';

/** The server rejected the request; contains its Status object. */
export class ApiFailure extends TinkFailure {
  override readonly name = 'ApiFailure';
  readonly code: number;
  readonly reason: string;

  constructor(status: { code: number; reason: string; message: string }, advice?: string) {
    super(status.message, { advice });
    this.code = status.code;
    this.reason = status.reason;
  }
}

/** The server was unreachable or the connection broke. A later attempt may succeed. */
export class UnreachableFailure extends TinkFailure {
  override readonly name = 'UnreachableFailure';
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; nothing listens on that port',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'no route to that host',
  ENETUNREACH: 'no route to that network',
  ECONNRESET: 'the connection was reset',
  EPROTO: 'the server does not use TLS; try http:// instead of https://',
};

/** Describes a failed connection. */
export function causeText(error: unknown): string {
  return causes[codeOf(error) ?? ''] ?? messageOf(error);
}

export function unreachable(server: string, error: unknown): UnreachableFailure {
  const isCertificate = /CERT|SELF_SIGNED|ALTNAME/.test(codeOf(error) ?? '');
  const advice = isCertificate
    ? 'set its certificate authority: tink config set-context NAME --certificate-authority FILE'
    : 'start the server with "tinkerbell" or "npm start", or use another one: --server URL, TINK_SERVER=URL or "tink config set-server URL"';
  return new UnreachableFailure(`cannot reach the server at ${server}: ${causeText(error)}`, {
    advice,
  });
}

/** Returns the failure for an answer with status 400 or above. */
export function refusal(
  server: string,
  answer: { status: number; contentType: string; text: string },
): TinkFailure {
  const status = statusIn(answer.text);
  if (status === undefined) {
    const what = `${answer.status}${answer.contentType === '' ? '' : ` ${answer.contentType}`}`;
    return new TinkFailure(`the answer of ${server} is not that of a Tinkerbell server (${what})`, {
      advice: 'check host and port: the API uses the server’s --http-port (default: 7080)',
    });
  }
  const { reason, message } = status;
  return new ApiFailure(
    { reason, message: printable(message), code: answer.status },
    adviceFor(answer.status, status),
  );
}

/**
 * Advises a retry after a conflict of writes. Advises none if the state of an object rejects the request, which the causes
 * explain.
 */
function adviceFor(code: number, { reason, hasCauses }: StatusText): string | undefined {
  if (code === 410) return 'run the command again';
  if (code === 401)
    return 'on the server, run tink in the folder where the server was started, or set TINKERBELL_DATA_DIR to its data folder; on other machines, use tink login, TINK_TOKEN=…, or tink config set-context NAME --token-file FILE';
  return reason === 'Conflict' && !hasCauses ? 'try again' : undefined;
}

interface StatusText {
  readonly reason: string;
  readonly message: string;
  readonly hasCauses: boolean;
}

function statusIn(text: string): StatusText | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value['kind'] !== 'Status') return undefined;
    const { reason = '', message = '', details } = value;
    const hasCauses = isRecord(details) && Array.isArray(details['causes']) && details['causes'].length > 0;
    return { reason: String(reason), message: String(message), hasCauses };
  } catch {
    return undefined;
  }
}
