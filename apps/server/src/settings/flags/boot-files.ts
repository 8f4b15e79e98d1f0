import { boolean, duration, flagGroup, kernelArguments, list, number, text } from '../flag.ts';

export const ipxeFlags = flagGroup('iPXE', {
  'ipxe-binary-dir': text('folder with undionly.kpxe, ipxe.efi and other binaries', {
    fallback: 'out/ipxe, which the first start downloads, else /usr/lib/ipxe',
  }),
  'ipxe-http-binary-enabled': boolean('serve binaries over HTTP', { default: 'true' }),
  'ipxe-http-script-enabled': boolean('serve scripts over HTTP', { default: 'true' }),
  'ipxe-http-script-extra-kernel-args': kernelArguments(
    'additional kernel arguments, separated by spaces. The flag may be repeated',
  ),
  'ipxe-http-script-kernel-name': text('name of the kernel file, without -<arch>', { default: 'vmlinuz' }),
  'ipxe-http-script-initrd-name': text('name of the initramfs file, without -<arch>', {
    default: 'initramfs',
  }),
  'ipxe-http-script-osie-url': text('URL of the folder with kernel and initramfs', {
    fallback: '/hook/ of this server',
  }),
  'ipxe-http-script-retries': number('retries of a download in the script', { default: '1' }),
  'ipxe-http-script-retry-delay': number('seconds between these retries', { default: '1' }),
  'ipxe-script-syslog-fqdn': text('syslog host in the script', { fallback: '--dhcp-syslog-ip' }),
  'ipxe-script-tink-server-addr-port': text('gRPC address for agents', {
    fallback: '--public-ipv4 and --tink-server-bind-port',
  }),
  'ipxe-script-tink-server-use-tls': boolean('make agents use TLS', { default: 'false' }),
  'ipxe-script-tink-server-insecure-tls': boolean('make agents accept any certificate', { default: 'false' }),
  'ipxe-script-boot-local-when-idle': boolean(
    'boot the disk when the machine has no work. Upstream boots the in-memory OS again',
    { default: 'true' },
  ),
  'ipxe-embedded-script-patch': text('text that replaces the placeholder in binaries'),
  'ipxe-binary-inject-mac-addr-format': text('colon, dot, dash or no-delimiter', { default: 'colon' }),
  'ipxe-override-arch-mapping': list('binaries by client architecture, as <architecture>=<binary>'),
  'ipxe-chainloading': text(
    'when-needed, or always: chainload our binary unless the client is already Tinkerbell’s iPXE',
    { default: 'when-needed' },
  ),
  'ipxe-needed-features': list(
    'features, such as https or nfs, that an iPXE in a ROM must have to run the script directly. Others chainload our binary first',
  ),
});

export const tftpFlags = flagGroup('TFTP', {
  'tftp-server-enabled': boolean('serve TFTP', { default: 'true' }),
  'tftp-server-bind-addr': text('address to listen on', { fallback: '--bind-address' }),
  'tftp-server-bind-port': number('port to listen on', { default: '69' }),
  'tftp-timeout': duration('first timeout of an acknowledgement', { default: '1s' }),
  'tftp-block-size': number('maximum block size; 0 is what fits one frame of the network interface', {
    default: '0',
  }),
  'tftp-single-port': boolean(
    'send all data from one port, which works through NAT. Otherwise each transfer has its own port',
    {
      default: 'true',
    },
  ),
  'tftp-asset-dir': text('folder with additional files'),
  'pxe-http-enabled': boolean('serve the files of TFTP over HTTP as well', { default: 'false' }),
  'pxe-http-path-prefix': text('path of these files', { default: '/tftp/' }),
});

export const isoFlags = flagGroup('ISO images', {
  'iso-enabled': boolean('serve ISO images for virtual media under /iso/', { default: 'true' }),
  'iso-upstream-url': text('image for machines whose Hardware names none', {
    fallback: 'our own in --hook-dir',
  }),
  'iso-patch-magic-string': text('text in an image that kernel arguments replace', {
    fallback: 'that of HookOS and of our own image',
  }),
  'iso-static-ipam-enabled': boolean(
    'write the addresses of the Hardware into the image, for networks without DHCP',
    {
      default: 'false',
    },
  ),
  'iso-cache-size': number('mebibytes of remote images cached in <data-dir>/iso-cache', { default: '4096' }),
  'iso-allow-source': list('loopback or link-local hosts and networks from which images may be downloaded'),
});
