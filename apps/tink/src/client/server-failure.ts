/** What can go wrong between here and the server, in words that say how to go on. */
import { isRecord } from '@tinkerbell/resources';
import { TinkFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';

/** The server refused: its Status object. */
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

/** The server could not be reached, or broke off. Trying again later may help. */
export class UnreachableFailure extends TinkFailure {
  override readonly name = 'UnreachableFailure';
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (connection refused)',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'no route to that host',
  ENETUNREACH: 'no route to that network',
  ECONNRESET: 'the connection was reset',
  EPROTO: 'it does not speak TLS; try http:// instead of https://',
};

/** Of a connection that failed, in words. */
export function causeText(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return causes[code] ?? message;
}

export function unreachable(server: string, error: unknown): UnreachableFailure {
  const { code = '' } = error as NodeJS.ErrnoException;
  const isCertificate = /CERT|SELF_SIGNED|ALTNAME/.test(code);
  const advice = isCertificate
    ? 'name the file of its certificate authority: tink config set-context NAME --certificate-authority FILE'
    : 'start the server here with "tinkerbell" or "npm start", or name another one: --server URL, TINK_SERVER=URL or "tink config set-server URL"';
  return new UnreachableFailure(`cannot reach the server at ${server}: ${causeText(error)}`, {
    advice,
  });
}

/** The failure that an answer with a status code of 400 or more stands for. */
export function refusal(
  server: string,
  answer: { status: number; contentType: string; text: string },
): TinkFailure {
  const status = statusIn(answer.text);
  if (status === undefined) {
    const what = `${answer.status}${answer.contentType === '' ? '' : ` ${answer.contentType}`}`;
    return new TinkFailure(`${server} answers, but not as a Tinkerbell server does (${what})`, {
      advice: 'check host and port: the API is on the server’s --http-port, 7080 unless set',
    });
  }
  const { reason, message } = status;
  return new ApiFailure(
    { reason, message: printable(message), code: answer.status },
    adviceFor(answer.status, status),
  );
}

/** Who was too late may try again; what the state of an object does not allow stays refused, and says why. */
function adviceFor(code: number, { reason, hasCauses }: StatusText): string | undefined {
  if (code === 410) return 'run the command again';
  if (code === 401)
    return 'on the server, run tink where the server was started, or set TINKERBELL_DATA_DIR to its data folder; elsewhere use tink login, TINK_TOKEN=…, or tink config set-context NAME --token-file FILE';
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
