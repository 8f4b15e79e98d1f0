/** The metadata of an identity provider (OpenID Connect Discovery 1.0, section 4). */
import {
  allowInsecureRequests,
  ClientError,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type Configuration,
  type ServerMetadata,
} from 'openid-client';
import { TinkFailure, usageFailure } from '../failure.ts';
import { failureOf } from './issuer-failure.ts';
import { issuerFetch, type Reach } from './issuer-fetch.ts';

/** A provider, and this program as its client. */
export interface Provider {
  readonly issuer: string;
  readonly clientId: string;
  readonly reach: Reach;
  /** The configuration for openid-client, which verifies the signatures of ID tokens. */
  readonly configuration: Configuration;
  /** All endpoints are https URLs or on loopback. */
  readonly metadata: Readonly<ServerMetadata>;
}

/** Tolerated clock difference, as verifiers allow. */
export const SKEW_SECONDS = 60;

const NEEDED = ['token_endpoint', 'jwks_uri'] as const;
const ENDPOINTS = [
  ...NEEDED,
  'authorization_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
] as const;

/** Throws a TinkFailure that names the issuer. */
export async function describeProvider(issuer: string, clientId: string, reach: Reach): Promise<Provider> {
  if (!isSafe(issuer))
    throw usageFailure(`issuer ${JSON.stringify(issuer)}: must be an https URL (http on loopback only)`);
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const configuration = await discovered(url, clientId, reach);
  enableNonRepudiationChecks(configuration);
  const metadata = configuration.serverMetadata();
  if (metadata.issuer !== issuer)
    throw new TinkFailure(
      `${url} belongs to the issuer ${JSON.stringify(metadata.issuer)}, not to ${JSON.stringify(issuer)}`,
      { advice: 'write the issuer exactly as the provider does' },
    );
  for (const name of ENDPOINTS) refuseUnsafe(name, metadata[name], issuer);
  for (const name of NEEDED)
    if (metadata[name] === undefined)
      throw new TinkFailure(`the metadata of the identity provider ${issuer} has no ${name}`);
  return { issuer, clientId, reach, configuration, metadata };
}

async function discovered(url: string, clientId: string, reach: Reach): Promise<Configuration> {
  try {
    return await discovery(new URL(url), clientId, { [clockTolerance]: SKEW_SECONDS }, None(), {
      [customFetch]: issuerFetch(reach),
      // Only loopback needs this, because `isSafe` rejects all other http URLs.
      execute: [allowInsecureRequests],
    });
  } catch (thrown) {
    if (!(thrown instanceof ClientError) || thrown.cause instanceof TinkFailure)
      throw failureOf(thrown, clientId);
    const status = thrown.cause instanceof Response ? thrown.cause.status : 200;
    throw new TinkFailure(`the answer of ${url} is not that of an identity provider (${status})`, {
      advice: 'the issuer is the "iss" of its tokens, such as https://login.example.org/realms/site',
    });
  }
}

function refuseUnsafe(name: string, value: unknown, issuer: string): void {
  if (value === undefined || (typeof value === 'string' && isSafe(value))) return;
  throw new TinkFailure(
    `the identity provider ${issuer}: ${name}: ${JSON.stringify(value)} is not an https URL`,
  );
}

/** Requires https or loopback, because codes and tokens are sent there. */
function isSafe(text: string): boolean {
  const url = URL.parse(text);
  const isHere = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere);
}
