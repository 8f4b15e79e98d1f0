/** Settings of the gateway: the two documented hosts, forwards, and the route file. */
import { join } from 'node:path';
import type { ForwardSettings, RouteFile } from '@tinkerbell/service-gateway';
import { parseEndpoint, routesIn } from '@tinkerbell/service-gateway/routes';
import type { FlagReader } from '../settings/flag-reader.ts';
import type { FlagName } from '../settings/flags/index.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { forwardRefusal, type RefuseForward } from '../settings/own-ports.ts';

export interface GatewaySettings {
  readonly fixed: RouteFile;
  readonly refuseForward: RefuseForward;
  readonly routeFile?: string;
  /** Certificate folder of our own authority; undefined if the certificates are configured. */
  readonly authority?: { readonly directory: string; readonly names: readonly string[] };
}

const NO_ROUTES: RouteFile = { listeners: [], routes: [], forwards: [], trustedProxies: [] };
/** Rate and concurrency limits of the file host (the edge stack's ingress), per source address. */
const FILES_LIMITS = 'rateLimit: {average: 500}, maxConnections: 70';
/** The public paths of our own HTTP port. The API needs its own route. */
const OWN_FILES = '/tink-stack/(images/|hook/|ipxe/binary/|hook\\.ipxe$)';
/** All other paths are image files: `/tink-stack/image.raw` is `/images/image.raw`. */
const OWN_TREE = '/tink-stack/(.+)';

/** Returns undefined without `--enable-gateway`. */
export function gatewaySettings(flags: FlagReader, dataDirectory: string): GatewaySettings | undefined {
  if (!flags.boolean('enable-gateway')) return undefined;
  const routeFile = flags.text('gateway-config');
  const refuseForward = forwardRefusal(flags);
  const forwards = flags.list('gateway-forward').map((text) => forwardOf(flags, text, refuseForward));
  const domain = flags.text('gateway-domain');
  if (domain === '' && routeFile === '' && forwards.length === 0)
    throw new SettingsError('--enable-gateway needs --gateway-domain, --gateway-config or --gateway-forward');
  const hosts = domain === '' ? undefined : documentedHosts(flags, domain, dataDirectory);
  return {
    fixed: { ...(hosts?.fixed ?? NO_ROUTES), forwards },
    refuseForward,
    ...(routeFile === '' ? {} : { routeFile }),
    ...(hosts?.authority === undefined ? {} : { authority: hosts.authority }),
  };
}

function documentedHosts(flags: FlagReader, domain: string, dataDirectory: string) {
  if (!/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(domain))
    throw new SettingsError(`--gateway-domain must be a domain, not ${JSON.stringify(domain)}`);
  const names = [`tinkerbell-server.${domain}`, `tinkerbell-nginx.${domain}`];
  const directory = join(dataDirectory, 'gateway');
  const [certFile, keyFile] = [flags.text('gateway-cert-file'), flags.text('gateway-key-file')];
  if ((certFile === '') !== (keyFile === ''))
    throw new SettingsError('--gateway-cert-file and --gateway-key-file must be set together');
  const isOwn = certFile === '';
  const pairs = isOwn ? certificateFiles(directory, names[0] ?? '') : [{ certFile, keyFile }];
  const certificates = pairs.map(
    (pair) => `{certFile: ${quoted(pair.certFile)}, keyFile: ${quoted(pair.keyFile)}}`,
  );
  const bind = quoted(flags.text('bind-address'));
  const httpPort = flags.text('gateway-http-port') === '' ? undefined : flags.port('gateway-http-port');
  const minVersion = flags.oneOf('gateway-tls-min-version', ['1.2', '1.3']);
  const text = `
listeners:
  - name: https
    address: ${bind}
    port: ${flags.port('gateway-https-port')}
    tls: {minVersion: "${minVersion}", certificates: [${certificates.join(', ')}]}
${httpPort === undefined ? '' : `  - {name: http, address: ${bind}, port: ${httpPort}}`}
routes:
  - name: tinkerbell-server
    listeners: [https]
    match: {host: ${quoted(names[0] ?? '')}}
    middlewares: {${tokenRule(flags)}}
    upstream: {protocol: h2c, endpoints: [${quoted(upstreamOf(flags, 'gateway-grpc-upstream', 'tink-server-bind-port'))}]}
${fileRoutes(flags, quoted(names[1] ?? ''), httpPort === undefined ? 'https' : 'https, http')}
`;
  return { fixed: routesIn(text, 'gateway'), ...(isOwn ? { authority: { directory, names } } : {}) };
}

export interface CertificatePair {
  readonly certFile: string;
  readonly keyFile: string;
  readonly isRsa: boolean;
}

/** Returns the certificate files of a name: ECDSA, and RSA for firmware that supports only RSA. */
export function certificateFiles(directory: string, name: string): readonly CertificatePair[] {
  return [false, true].map((isRsa) => {
    const path = join(directory, isRsa ? `${name}.rsa` : name);
    return { certFile: `${path}.pem`, keyFile: `${path}.key`, isRsa };
  });
}

function fileRoutes(flags: FlagReader, host: string, listeners: string): string {
  const endpoint = quoted(upstreamOf(flags, 'gateway-files-upstream', 'http-port'));
  const route = (name: string, match: string, rewrite: string): string =>
    `  - {name: ${name}, listeners: [${listeners}], match: {host: ${host}, ${match}}, middlewares: {rewrite: {${rewrite}}, ${FILES_LIMITS}}, upstream: {endpoints: [${endpoint}]}`;
  const documented = 'regex: "/tink-stack(/|$)(.*)", replacement: "/$2"';
  if (flags.text('gateway-files-upstream') !== '')
    return `${route('tinkerbell-nginx', 'pathPrefix: /tink-stack', documented)}}`;
  const tree = `regex: ${quoted(OWN_TREE)}, replacement: "/images/$1"`;
  return `${route('tinkerbell-nginx', `pathRegex: ${quoted(OWN_FILES)}`, documented)}, priority: 1}
${route('tinkerbell-nginx-tree', `pathRegex: ${quoted(OWN_TREE)}`, tree)}}`;
}

function tokenRule(flags: FlagReader): string {
  const issuer = flags.text('gateway-jwt-issuer');
  const [url, file] = [flags.text('gateway-jwt-jwks-url'), flags.text('gateway-jwt-jwks-file')];
  if (issuer === '' || (url === '') === (file === ''))
    throw new SettingsError(
      '--gateway-domain needs --gateway-jwt-issuer and --gateway-jwt-jwks-url or --gateway-jwt-jwks-file, to verify who may provision machines',
    );
  const keys = url === '' ? `jwksFile: ${quoted(file)}` : `jwksUrl: ${quoted(url)}`;
  const audiences = flags.list('gateway-jwt-audience').map(quoted).join(', ');
  // Our own gRPC rejects tokens of an unknown issuer.
  const ours = [flags.text('oidc-issuer-url'), flags.text('service-account-issuer')];
  const isKnown = flags.text('gateway-grpc-upstream') !== '' || ours.includes(issuer);
  if (!isKnown && flags.text('api-anonymous') !== 'everyone')
    throw new SettingsError(
      `gRPC verifies the tokens that come through the gateway: set --oidc-issuer-url=${issuer} too, or let only the gateway verify them with --api-anonymous=everyone`,
    );
  const claim = flags.text('agent-claim');
  const claimSetting = claim === '' ? '' : `, claimsToHeaders: {${quoted(claim)}: x-tinkerbell-claim}`;
  const spent = isKnown ? '' : ', headers: {request: {authorization: ""}}';
  return `validateJwt: {issuer: ${quoted(issuer)}, ${keys}, audiences: [${audiences}]${claimSetting}}${spent}`;
}

/** Returns the configured endpoint, else one of our ports. */
function upstreamOf(flags: FlagReader, name: FlagName, ownPort: FlagName<'number'>): string {
  const given = flags.text(name);
  if (given === '') return `127.0.0.1:${flags.port(ownPort)}`;
  if (parseEndpoint(given) === undefined)
    throw new SettingsError(`--${name} must be HOST:PORT, not ${JSON.stringify(given)}`);
  return given;
}

/** Parses `udp:69=192.0.2.10:69`. */
function forwardOf(flags: FlagReader, text: string, refuseForward: RefuseForward): ForwardSettings {
  const forward = parsedForward(flags, text);
  if (forward === undefined)
    throw new SettingsError(
      `--gateway-forward must be PROTOCOL:PORT=HOST:PORT such as udp:69=192.0.2.10:69, not ${JSON.stringify(text)}`,
    );
  const refused = refuseForward(forward);
  if (refused !== undefined) throw new SettingsError(`--gateway-forward: ${refused}`);
  return forward;
}

function parsedForward(flags: FlagReader, text: string): ForwardSettings | undefined {
  const match = /^(tcp|udp):(\d{1,5})=(.+)$/.exec(text);
  if (match === null) return undefined;
  const [, protocol, port, to = ''] = match;
  const rest = `protocol: ${protocol}, listen: ${quoted(`${flags.text('bind-address')}:${port}`)}, to: ${quoted(to)}`;
  try {
    return routesIn(`forwards: [{name: "${protocol}-${port}", ${rest}}]`, 'forward').forwards[0];
  } catch (cause) {
    if (cause instanceof Error) return undefined;
    throw cause;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
