/** Flags of the gateway. */
import type { Flag } from '../settings/flag.ts';

const rows: readonly (readonly [name: string, type: Flag['type'], fallback: string, description: string])[] =
  [
    [
      'enable-gateway',
      'boolean',
      'false',
      'TLS, tokens, limits and forwarding in front of everything, on one address',
    ],
    [
      'gateway-domain',
      'text',
      '',
      'serve tinkerbell-server.DOMAIN (gRPC, with a token) and tinkerbell-nginx.DOMAIN (files below /tink-stack)',
    ],
    ['gateway-https-port', 'number', '443', 'port of these two hosts'],
    [
      'gateway-http-port',
      'number',
      '',
      'port of the files without TLS, for iPXE, which knows only the authorities it was built with; none when empty',
    ],
    ['gateway-tls-min-version', 'text', '1.3', '1.3, or 1.2 for UEFI firmware that boots over HTTPS'],
    [
      'gateway-cert-file',
      'text',
      '',
      'certificate of these two hosts, PEM; of an authority of our own when empty',
    ],
    ['gateway-key-file', 'text', '', 'its key'],
    ['gateway-jwt-issuer', 'text', '', 'whose tokens are accepted'],
    ['gateway-jwt-audience', 'list', '', 'audiences of which a token must have one; any when empty'],
    ['gateway-jwt-jwks-url', 'text', '', 'where the keys of the issuer are'],
    ['gateway-jwt-jwks-file', 'text', '', 'the keys of the issuer in a file'],
    ['gateway-grpc-upstream', 'text', '', 'HOST:PORT of gRPC; our own tink-server-bind-port'],
    [
      'gateway-files-upstream',
      'text',
      '',
      'HOST:PORT of the file server; our own http-port, of which only images, the in-memory OS and iPXE binaries are public',
    ],
    [
      'gateway-forward',
      'list',
      '',
      'ports that go on to others, such as udp:69=192.0.2.10:69 or tcp:50061=192.0.2.10:50061',
    ],
    ['gateway-config', 'text', '', 'file with further listeners, routes and forwards; followed while we run'],
  ];

export const gatewayFlags: readonly Flag[] = rows.map(([name, type, fallback, description]) => ({
  name,
  type,
  default: fallback,
  description,
}));
