import { boolean, duration, flagGroup, list, number, text } from '../flag.ts';

export const generalFlags = flagGroup('General', {
  config: text('YAML file of flags and their values'),
  'public-ipv4': text('address of this server as machines see it', {
    fallback: 'that of the bound network interface, else of the default route',
  }),
  'bind-address': text('address to listen on', { default: '0.0.0.0' }),
  'http-port': number('port of scripts, binaries, images and the API', { default: '7080' }),
  'http-stack-ports': list('additional ports for machines, without the API, such as 8080,7171'),
  'https-port': number('port of scripts, binaries, images and the API over TLS; needs --tls-cert-file', {
    default: '7443',
  }),
  'tls-cert-file': text('certificate for HTTPS and gRPC, PEM'),
  'tls-key-file': text('key of --tls-cert-file, PEM'),
  'trusted-proxies': list('networks whose X-Forwarded-For header is trusted'),
  'shutdown-delay-duration': duration(
    'how long the server continues to serve after a signal while /readyz fails, so that load balancers can drain connections first',
    { default: '0s' },
  ),
  'enable-smee': boolean('run DHCP, TFTP, scripts and binaries', { default: 'true' }),
  'enable-tink-server': boolean('run the gRPC service for agents', { default: 'true' }),
  'enable-tink-controller': boolean('run the workflow controller', { default: 'true' }),
  'enable-images': boolean('serve image files', { default: 'true' }),
  'images-dir': text('folder served under /images/', { fallback: '<data-dir>/images' }),
  'hook-dir': text('folder served under /hook/, with kernel, initramfs and segments of the in-memory OS', {
    fallback: '<data-dir>/hook',
  }),
});
