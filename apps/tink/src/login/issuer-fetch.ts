/** Sends requests to an identity provider, with the certificate authorities of the context and a limit on answers. */
import { getCACertificates } from 'node:tls';
import type { CustomFetch } from 'openid-client';
import type { TlsSettings } from '../client/connection.ts';
import { exchange } from '../client/http-exchange.ts';
import { causeText } from '../client/server-failure.ts';
import { InterruptedFailure, TinkFailure } from '../failure.ts';

export interface Reach {
  readonly signal: AbortSignal;
  /** Certificate authorities of the context, added to those of the system. */
  readonly ca?: string | undefined;
}

/** Limit of an answer, bytes; larger than any description, key set or token response. */
const ANSWER_BYTES_MAX = 1_048_576;

/** Follows no redirects. Rejects with a TinkFailure if the provider is unreachable. */
export function issuerFetch({ signal, ca }: Reach): CustomFetch {
  return async (url, { method, headers, body, signal: limit }) => {
    try {
      const answer = await exchange(new URL(url), {
        method,
        headers,
        signal: limit === undefined ? signal : AbortSignal.any([signal, limit]),
        tls: tlsOf(ca),
        ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
      });
      const bytes = await bytesOf(answer.body);
      // Drop all other header fields, so that the library cannot depend on them.
      const fields = { 'content-type': answer.contentType };
      return new Response(bytes.length === 0 ? null : bytes, { status: answer.status, headers: fields });
    } catch (thrown) {
      if (signal.aborted) throw new InterruptedFailure();
      throw new TinkFailure(
        `cannot reach the identity provider at ${new URL(url).origin}: ${causeText(thrown)}`,
        {
          advice: 'check --issuer, or --oidc-issuer-url of the server, and whether this machine can reach it',
        },
      );
    }
  };
}

const settingsOf = new Map<string, TlsSettings>();

/** Always verifies the provider's certificate, and sends no client certificate. */
function tlsOf(ca: string | undefined): TlsSettings | undefined {
  if (ca === undefined) return undefined;
  const settings = settingsOf.get(ca) ?? { ca: [...getCACertificates('default'), ca].join('\n') };
  settingsOf.set(ca, settings);
  return settings;
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
