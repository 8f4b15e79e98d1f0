/** Requests to an identity provider: small JSON answers, and OAuth 2.0 errors (RFC 6749, section 5.2). */
import { getCACertificates } from 'node:tls';
import { isRecord } from '@tinkerbell/resources';
import type { TlsSettings } from '../client/connection.ts';
import { TinkFailure } from '../failure.ts';
import { exchange } from '../client/http-exchange.ts';
import { printable } from '../output/printable.ts';
import { causeText } from '../client/server-failure.ts';

export interface Reach {
  readonly signal: AbortSignal;
  /** Certificate authorities of the context, added to those of the system. */
  readonly ca?: string | undefined;
}

export interface IssuerAnswer {
  readonly status: number;
  /** Empty if the answer is not a JSON object. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Limit of an answer, bytes; larger than any description, key set or token response. */
const ANSWER_BYTES_MAX = 1_048_576;
const CLIENT_FAULTS = ['invalid_client', 'unauthorized_client'];

/** Sends GET, or POST with a form. Throws a TinkFailure if the provider is unreachable. */
export async function askIssuer(
  url: string,
  { signal, ca }: Reach,
  form?: Readonly<Record<string, string>>,
): Promise<IssuerAnswer> {
  const body = form === undefined ? {} : { body: new URLSearchParams(form).toString() };
  const type: Record<string, string> =
    form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  try {
    const answer = await exchange(new URL(url), {
      method: form === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...type },
      signal,
      tls: tlsOf(ca),
      ...body,
    });
    const text = await textOf(answer.body);
    return { status: answer.status, fields: fieldsIn(text), text };
  } catch (thrown) {
    if (signal.aborted) throw new TinkFailure('interrupted');
    throw new TinkFailure(
      `cannot reach the identity provider at ${new URL(url).origin}: ${causeText(thrown)}`,
      {
        advice: 'check --issuer, or --oidc-issuer-url of the server, and whether this machine can reach it',
      },
    );
  }
}

const settingsOf = new Map<string, TlsSettings>();

/** Always verifies the provider's certificate, and sends no client certificate. */
function tlsOf(ca: string | undefined): TlsSettings | undefined {
  if (ca === undefined) return undefined;
  const settings = settingsOf.get(ca) ?? { ca: [...getCACertificates('default'), ca].join('\n') };
  settingsOf.set(ca, settings);
  return settings;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

export function textField(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the failure for an OAuth error code of the provider. */
export function issuerFailure(error: string, description: string | undefined, clientId: string): TinkFailure {
  const more = description === undefined ? '' : `: ${printable(description)}`;
  if (CLIENT_FAULTS.includes(error))
    return new TinkFailure(
      `the identity provider does not know the client ${JSON.stringify(clientId)}${more}`,
      {
        advice:
          'register it there as a public client, or name the right one: --client-id, --oidc-client-id of the server',
      },
    );
  if (error === 'access_denied') return new TinkFailure(`the identity provider rejected the login${more}`);
  if (error === 'expired_token')
    return new TinkFailure('the code expired before it was entered', {
      advice: 'run tink login again',
    });
  return new TinkFailure(`the identity provider returned an error: ${printable(error)}${more}`);
}
