/** What a person needs to know before he has a token: where to get one. */
import { WholeResponse } from '@tinkerbell/platform-contract';
import type { OidcSettings } from './access-settings.ts';

export const LOGIN_PATH = '/.well-known/tinkerbell-login';

/** `{ issuer, clientId, scopes }`, for everybody: all three are in the address that a browser is sent to. 404 without an identity provider. */
export function loginPage(oidc: Pick<OidcSettings, 'issuer' | 'clientId' | 'scopes'> | undefined): Response {
  const headers = { 'content-type': 'application/json' };
  if (oidc !== undefined) {
    const { issuer, clientId, scopes } = oidc;
    return new WholeResponse(`${JSON.stringify({ issuer, clientId, scopes })}\n`, { headers });
  }
  const message = 'this server knows no identity provider; it needs --oidc-issuer-url and --oidc-client-id';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound' };
  return new WholeResponse(`${JSON.stringify({ ...status, message, code: 404 })}\n`, {
    status: 404,
    headers,
  });
}
