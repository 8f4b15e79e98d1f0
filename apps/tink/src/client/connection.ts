/** Reads the tokens and certificates of a context. */
import { readFile } from 'node:fs/promises';
import type { Context } from './config-file.ts';
import { readingProblem } from '../files/unreadable.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { createLoginTokens, type LoginPlace, type LoginTokens } from '../login/login-tokens.ts';
import type { Terminal } from '../output/terminal.ts';

export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Connection {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /** A client certificate, used instead of a token. */
  readonly login?: LoginTokens;
  readonly tls?: TlsSettings | undefined;
}

interface Destination {
  readonly server: string;
  readonly context: Context;
  /** Names the context in the configuration file. */
  readonly place?: Omit<LoginPlace, 'err'> | undefined;
}

/** TINK_TOKEN takes precedence over the context's token. Throws a TinkFailure for unreadable files. */
export async function connectionOf(
  { server, context, place }: Destination,
  terminal: Pick<Terminal, 'environment' | 'err' | 'clock' | 'signal'>,
): Promise<Connection> {
  const { environment, err, clock, signal } = terminal;
  const isSaid = Boolean(environment['TINK_TOKEN']);
  const person = isSaid || place === undefined ? undefined : context.login;
  const token = person === undefined ? await tokenOf(context, environment['TINK_TOKEN']) : undefined;
  if (context.insecure === true)
    err(
      'warning: the server’s certificate is not verified (insecure); set its certificate authority instead\n',
    );
  if ((token ?? person) !== undefined && isOpenNetwork(server))
    err(`warning: the token is sent to ${server} unencrypted; use https\n`);
  const settings = await tlsOf(context);
  const who =
    person === undefined || place === undefined
      ? { token }
      : { login: createLoginTokens(person, { ...place, err }, { clock, signal, ca: settings.ca }) };
  return { ...who, tls: Object.keys(settings).length === 0 ? undefined : settings };
}

async function tokenOf(context: Context, said: string | undefined): Promise<string | undefined> {
  const file = await textOf('tokenFile', context.tokenFile);
  const token = said || context.token || file?.trim();
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw usageFailure(
      'the token contains spaces, line breaks or other characters that are invalid in tokens',
    );
  return token;
}

async function tlsOf(context: Context): Promise<TlsSettings> {
  const ca = await textOf('certificateAuthority', context.certificateAuthority);
  const cert = await textOf('clientCertificate', context.clientCertificate);
  const key = await textOf('clientKey', context.clientKey);
  if ((cert === undefined) !== (key === undefined)) {
    throw usageFailure(
      'the client certificate and its key must be set together',
      'set both: --client-certificate FILE --client-key FILE',
    );
  }
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(context.insecure === true ? { rejectUnauthorized: false } : {}),
  };
}

async function textOf(field: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new TinkFailure(`${field}: cannot read ${path}: ${readingProblem(error)}`);
  });
}

function isOpenNetwork(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}
