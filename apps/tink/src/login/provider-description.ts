/** The metadata of an identity provider (OpenID Connect Discovery 1.0, section 4). */
import { TinkFailure, usageFailure } from '../failure.ts';
import { askIssuer, textField, type Reach } from './issuer-request.ts';

export interface ProviderDescription {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly keysUrl: string;
  readonly authorizationUrl: string | undefined;
  readonly deviceUrl: string | undefined;
  readonly revocationUrl: string | undefined;
  /** Undefined if the provider does not publish it. */
  readonly scopes: readonly string[] | undefined;
}

/** Throws a TinkFailure that names the issuer. */
export async function describeProvider(issuer: string, reach: Reach): Promise<ProviderDescription> {
  if (!isSafe(issuer))
    throw usageFailure(`issuer ${JSON.stringify(issuer)}: must be an https URL (http on loopback only)`);
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, fields } = await askIssuer(url, reach);
  if (status !== 200 || fields['issuer'] === undefined)
    throw new TinkFailure(`the answer of ${url} is not that of an identity provider (${status})`, {
      advice: 'the issuer is the "iss" of its tokens, such as https://login.example.org/realms/site',
    });
  if (fields['issuer'] !== issuer)
    throw new TinkFailure(
      `${url} belongs to the issuer ${JSON.stringify(fields['issuer'])}, not to ${JSON.stringify(issuer)}`,
      { advice: 'write the issuer exactly as the provider does' },
    );
  const scopes = fields['scopes_supported'];
  return {
    issuer,
    tokenUrl: needed(fields, 'token_endpoint', issuer),
    keysUrl: needed(fields, 'jwks_uri', issuer),
    authorizationUrl: endpoint(fields, 'authorization_endpoint', issuer),
    deviceUrl: endpoint(fields, 'device_authorization_endpoint', issuer),
    revocationUrl: endpoint(fields, 'revocation_endpoint', issuer),
    scopes: Array.isArray(scopes) ? scopes.map(String) : undefined,
  };
}

function needed(fields: Readonly<Record<string, unknown>>, name: string, issuer: string): string {
  const value = endpoint(fields, name, issuer);
  if (value === undefined)
    throw new TinkFailure(`the metadata of the identity provider ${issuer} has no ${name}`);
  return value;
}

function endpoint(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  issuer: string,
): string | undefined {
  const value = textField(fields, name);
  if (value !== undefined && !isSafe(value))
    throw new TinkFailure(
      `the identity provider ${issuer}: ${name}: ${JSON.stringify(value)} is not an https URL`,
    );
  return value;
}

/** Requires https or loopback, because codes and tokens are sent there. */
function isSafe(text: string): boolean {
  const url = URL.parse(text);
  const isHere = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere);
}
