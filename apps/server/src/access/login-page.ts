/** Publishes what a user needs before the first token: the identity provider. */
import { WholeResponse } from '@tinkerbell/platform-contract';
import type { OidcSettings } from './access-settings.ts';

export const LOGIN_PATH = '/.well-known/tinkerbell-login';

/** Returns `{ issuer, clientId, scopes }`, which are public because login URLs contain them. 404 without an identity provider. */
export function loginPage(oidc: Pick<OidcSettings, 'issuer' | 'clientId' | 'scopes'> | undefined): Response {
  const headers = { 'content-type': 'application/json' };
  if (oidc !== undefined) {
    const { issuer, clientId, scopes } = oidc;
    return new WholeResponse(`${JSON.stringify({ issuer, clientId, scopes })}\n`, { headers });
  }
  const message =
    'no identity provider is configured; set --oidc-issuer-url and --oidc-client-id on the server';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound' };
  return new WholeResponse(`${JSON.stringify({ ...status, message, code: 404 })}\n`, {
    status: 404,
    headers,
  });
}
