/** API access settings from flags. */
import type { FlagReader } from '../settings/flag-reader.ts';
import type { FlagName } from '../settings/flags/index.ts';
import { SettingsError } from '../settings/settings-error.ts';

export interface AccessSettings {
  /** PEM of the certificate authorities that sign client certificates. */
  readonly clientCaFile?: string;
  /** Issuer of our own tokens. */
  readonly issuer: string;
  readonly oidc?: OidcSettings;
}

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Default: found by discovery. */
  readonly jwksUrl?: string;
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  readonly algorithms: readonly string[];
  readonly requiredClaims: Readonly<Record<string, string>>;
  /** Scopes that `tink login` requests, if the provider supports them. */
  readonly scopes: readonly string[];
}

/** Throws a SettingsError that names the flag. */
export function accessSettings(flags: FlagReader): AccessSettings {
  const clientCaFile = flags.text('client-ca-file');
  if (clientCaFile !== '' && flags.text('tls-cert-file') === '')
    throw new SettingsError(
      '--client-ca-file needs --tls-cert-file and --tls-key-file, because client certificates need TLS',
    );
  const oidc = oidcSettings(flags);
  return {
    issuer: flags.text('service-account-issuer'),
    ...(clientCaFile === '' ? {} : { clientCaFile }),
    ...(oidc === undefined ? {} : { oidc }),
  };
}

/** Asymmetric algorithms only. A shared secret would be in our flags, and anyone with it could sign tokens. */
const ALGORITHMS: readonly string[] = 'RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(
  ' ',
);

function oidcSettings(flags: FlagReader): OidcSettings | undefined {
  const issuer = flags.text('oidc-issuer-url');
  const clientId = flags.text('oidc-client-id');
  const jwksUrl = flags.text('oidc-jwks-url');
  if (issuer === '') {
    if (clientId !== '') throw new SettingsError('--oidc-client-id needs --oidc-issuer-url');
    return undefined;
  }
  if (clientId === '')
    throw new SettingsError(
      '--oidc-issuer-url needs --oidc-client-id; without it, tokens for other clients would be accepted',
    );
  urlIn('oidc-issuer-url', issuer);
  if (jwksUrl !== '') urlIn('oidc-jwks-url', jwksUrl);
  if (issuer === flags.text('service-account-issuer'))
    throw new SettingsError('--oidc-issuer-url must differ from --service-account-issuer');
  const algorithms = flags.list('oidc-signing-algs');
  const unknown = algorithms.find((one) => !ALGORITHMS.includes(one));
  if (unknown !== undefined || algorithms.length === 0)
    throw new SettingsError(
      `--oidc-signing-algs must be a list of ${ALGORITHMS.join(', ')}, not ${unknown ?? 'empty'}`,
    );
  return {
    issuer,
    clientId,
    ...(jwksUrl === '' ? {} : { jwksUrl }),
    usernameClaim: flags.text('oidc-username-claim'),
    usernamePrefix: prefixIn(flags, 'oidc-username-prefix'),
    groupsClaim: flags.text('oidc-groups-claim'),
    groupsPrefix: prefixIn(flags, 'oidc-groups-prefix'),
    algorithms,
    requiredClaims: claimsIn(flags.list('oidc-required-claim')),
    scopes: flags.list('oidc-scopes'),
  };
}

function urlIn(name: string, value: string): void {
  const url = URL.parse(value);
  const isHere = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return;
  throw new SettingsError(
    `--${name} must be an https URL (http on loopback only), not ${JSON.stringify(value)}`,
  );
}

function prefixIn(flags: FlagReader, name: FlagName): string {
  const value = flags.text(name);
  return value === '-' ? '' : value;
}

function claimsIn(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new SettingsError(`--oidc-required-claim must be name=value, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
