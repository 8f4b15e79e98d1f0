/** Error messages for failures of identity providers: OAuth 2.0 errors (RFC 6749, section 5.2) and invalid tokens. */
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { isRecord } from '@tinkerbell/resources';
import { TinkFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';

const CLIENT_FAULTS = ['invalid_client', 'unauthorized_client'];
/** Codes of openid-client's ClientError. */
const NOT_CONFORM = 'OAUTH_RESPONSE_IS_NOT_CONFORM';

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

/** Returns the failure of a call of openid-client. Returns an unexpected error unchanged. */
export function failureOf(thrown: unknown, clientId: string): unknown {
  if (thrown instanceof ResponseBodyError || thrown instanceof AuthorizationResponseError)
    return issuerFailure(thrown.error, thrown.error_description, clientId);
  if (!(thrown instanceof ClientError)) return thrown;
  const { cause, code } = thrown;
  if (cause instanceof TinkFailure) return cause;
  if (code === NOT_CONFORM && cause instanceof Response)
    return issuerFailure(`status ${cause.status}`, undefined, clientId);
  const why = printable(innermost(thrown).message);
  return new TinkFailure(`the identity provider returned an invalid answer: ${why}`);
}

/** Returns the claims of an invalid token, if the library provides them. */
export function claimsOfFailure(thrown: unknown): Readonly<Record<string, unknown>> {
  const details = thrown instanceof ClientError ? innermostCause(thrown) : undefined;
  return isRecord(details) && isRecord(details['claims']) ? details['claims'] : {};
}

function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

function innermostCause(error: Error): unknown {
  return innermost(error).cause;
}
