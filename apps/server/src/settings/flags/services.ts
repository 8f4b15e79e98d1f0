import { boolean, duration, flagGroup, list, number, text } from '../flag.ts';

export const syslogFlags = flagGroup('Syslog', {
  'syslog-enabled': boolean('receive syslog and add it to the timeline of machines', { default: 'true' }),
  'syslog-bind-addr': text('address to listen on', { fallback: '--bind-address' }),
  'syslog-bind-port': number('port to listen on', { default: '514' }),
});

export const metadataFlags = flagGroup('Instance metadata', {
  'enable-tootles': boolean('serve instance metadata', { default: 'true' }),
  'tootles-legacy-port': number('additional port of instance metadata, which Hegel used; 0 disables it', {
    default: '50061',
  }),
  'tootles-instance-endpoint': boolean('serve metadata by instance id to anyone', { default: 'false' }),
  'tootles-session-tokens': text('optional, or required: serve metadata only with a token (IMDSv2)', {
    default: 'optional',
  }),
  'metadata-auth': text(
    'off, optional (a session that is sent must belong to the machine) or required (metadata only with a session)',
    { default: 'optional' },
  ),
});

export const registryFlags = flagGroup('Registry of container images', {
  'registry-enabled': boolean('serve the images that were pushed to this server, under /v2/', {
    default: 'true',
  }),
  'registry-anonymous-pull': boolean(
    'let everyone pull without a credential. Machines that boot without a session, as upstream’s agents do, need this. Ours send their session',
    { default: 'false' },
  ),
  'image-peers': boolean(
    'tell agents that write the same disk image about each other, so that they load most of it from each other',
    { default: 'true' },
  ),
  'registry-mirrors': list(
    'registries whose images are cached as mirror/<host>/<repository>, such as docker.io or quay.io=https://cache.example',
  ),
  'registry-max-bytes': number('limit of all stored blobs together, in bytes', {
    fallback: 'the size of the disk less 256 MiB',
  }),
});

export const bmcFlags = flagGroup('BMCs', {
  'enable-rufio-controller': boolean(
    'control BMCs: check Machines and run Jobs. Disable it in a cluster where upstream’s rufio runs',
    { default: 'true' },
  ),
  'rufio-bmc-connect-timeout': duration('limit of each request to a BMC', { default: '10s' }),
  'rufio-power-check-interval': duration('how often the power state of each Machine is read', {
    default: '30m',
  }),
  'rufio-enable-inventory-collection': boolean('read the parts of each machine from its BMC', {
    default: 'true',
  }),
  'rufio-inventory-refresh-interval': duration('how often the parts of each machine are read', {
    default: '24h',
  }),
  'rufio-max-concurrent-reconciles': number('BMCs that are called at the same time', { default: '64' }),
  'bmc-events-url': text(
    'URL of this server as BMCs reach it, such as https://192.168.56.4:7443; BMCs with Redfish then send their events to it',
    { fallback: 'BMCs send no events' },
  ),
  'bmc-ca-file': text(
    'PEM file with the authorities that sign the certificates of BMCs, for Machines whose insecureTLS is false',
    { fallback: 'the authorities of the system' },
  ),
  'bmc-trust-first-use': boolean(
    'accept the certificate of a BMC at the first contact, and then no other one, for Machines whose insecureTLS is false',
    { default: 'false' },
  ),
});

export const serialFlags = flagGroup('Serial consoles', {
  'enable-secondstar': boolean('SSH to the serial consoles of machines, through their BMCs', {
    default: 'false',
  }),
  'secondstar-port': number('port of SSH', { default: '2222' }),
  'secondstar-host-key': text('file with the private host key', {
    fallback: 'DATA_DIR/ssh_host_ed25519_key, created at the first start',
  }),
  'secondstar-record': boolean(
    'record what all machines with a BMC print on their serial consoles; the annotation tinkerbell.org/record-console of a Hardware decides for its machine',
    { default: 'false' },
  ),
  'secondstar-idle-timeout': duration('end sessions in which nothing happens', { default: '15m' }),
});

export const relayFlags = flagGroup('DHCP relay', {
  'enable-relay': boolean('relay DHCP of other networks to DHCP servers', { default: 'false' }),
  'relay-interface': list('network interfaces of the clients'),
  'relay-server': list('addresses of the DHCP servers; each gets every request'),
  'relay-api-url': text(
    'URL of the server that may make this relay try its ports and the addresses of machines, such as https://192.0.2.10:7080',
    { fallback: 'none' },
  ),
  'relay-token-file': text(
    'file with the token of this relay for --relay-api-url; a new one is read at once',
  ),
  'relay-hops-max': number('drop packets that passed this many relays', { default: '16' }),
  'relay-address': text('address of this relay for servers, with --relay-link-selection', {
    fallback: 'that of the network interface',
  }),
  'relay-information': boolean('add relay agent information (option 82, RFC 3046)', { default: 'false' }),
  'relay-remote-id': text('remote id in option 82'),
  'relay-link-selection': boolean('send the subnet of the clients in option 82 (RFC 3527)', {
    default: 'false',
  }),
  'relay-server-override': boolean('make clients renew through the relay (RFC 5107)', { default: 'false' }),
  'relay-information-of-others': text(
    'what to do with option 82 of other relays: forward, append, replace or discard',
    {
      default: 'forward',
    },
  ),
  'relay-information-of-clients': boolean('accept option 82 from clients, for switches that add it', {
    default: 'false',
  }),
});

export const gatewayFlags = flagGroup('Gateway', {
  'enable-gateway': boolean('run the gateway: TLS, tokens, limits and proxying on one address', {
    default: 'false',
  }),
  'gateway-domain': text(
    'serve tinkerbell-server.DOMAIN (gRPC, with a token) and tinkerbell-nginx.DOMAIN (files under /tink-stack)',
  ),
  'gateway-https-port': number('port of these two hosts', { default: '443' }),
  'gateway-http-port': number(
    'port of the files without TLS, for iPXE, which trusts only the authorities it was built with',
    { fallback: 'none' },
  ),
  'gateway-tls-min-version': text('1.3, or 1.2 for UEFI firmware that boots over HTTPS', { default: '1.3' }),
  'gateway-cert-file': text('certificate of these two hosts, PEM', {
    fallback: 'signed by an authority of the server',
  }),
  'gateway-key-file': text('key of --gateway-cert-file, PEM'),
  'gateway-jwt-issuer': text('issuer whose tokens are accepted'),
  'gateway-jwt-audience': list('accepted audiences; a token must have one of them', { fallback: 'any' }),
  'gateway-jwt-jwks-url': text('URL of the keys of the issuer'),
  'gateway-jwt-jwks-file': text('file with the keys of the issuer'),
  'gateway-grpc-upstream': text('HOST:PORT of the gRPC backend', {
    fallback: '--tink-server-bind-port of this server',
  }),
  'gateway-files-upstream': text('HOST:PORT of the file server', {
    fallback: '--http-port of this server; only images, the in-memory OS and iPXE binaries are public',
  }),
  'gateway-forward': list('ports to forward, such as udp:69=192.0.2.10:69 or tcp:50061=192.0.2.10:50061'),
  'gateway-config': text('file with additional listeners, routes and forwards; changes take effect at once'),
});
