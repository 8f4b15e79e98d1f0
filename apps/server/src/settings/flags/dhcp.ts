import { boolean, flagGroup, list, number, text } from '../flag.ts';

export const dhcpFlags = flagGroup('DHCP', {
  'dhcp-enabled': boolean('answer DHCP', { default: 'true' }),
  'dhcp-mode': text(
    'reservation (assigns addresses), proxy (sends boot files only, beside another DHCP server) or auto-proxy (the same, for unknown machines too)',
    { default: 'reservation' },
  ),
  'dhcp-proxy-allow-mac': list('in proxy modes: answer only MACs with these prefixes, such as 52:54:00', {
    fallback: 'all',
  }),
  'dhcp-proxy-allow-subnet': list(
    'in proxy modes: answer only relays and network interfaces in these networks, such as 10.1.0.0/16',
    { fallback: 'all' },
  ),
  'dhcp-enable-netboot-options': boolean('send the boot file and the next server', { default: 'true' }),
  'dhcp-bind-addr': text('address to listen on', { default: '0.0.0.0' }),
  'dhcp-bind-interface': list('network interfaces to serve', { fallback: 'all, on one socket' }),
  'dhcp-bind-port': number('port to listen on; use 67 except in tests', { default: '67' }),
  'dhcp-pool': text(
    'addresses for machines whose Hardware names none, on networks without another DHCP server: 192.0.2.100-192.0.2.200/24,gateway=192.0.2.1,dns=192.0.2.53,lease=1h. Separate several pools by ;',
  ),
  'dhcp-pool-netboot': boolean('boot the in-memory OS on machines without Hardware as well', {
    default: 'false',
  }),
  'dhcp-ip-for-packet': text('server address in replies', { fallback: '--public-ipv4' }),
  'dhcp-syslog-ip': text('syslog server sent to machines', {
    fallback: '--public-ipv4 with --syslog-enabled, else none',
  }),
  'dhcp-tftp-ip': text('TFTP server sent to machines', { fallback: '--public-ipv4' }),
  'dhcp-tftp-port': number('TFTP port sent to machines', { default: '69' }),
  'dhcp-ipxe-http-binary-scheme': text('scheme of the URL of iPXE binaries', { default: 'http' }),
  'dhcp-ipxe-http-binary-host': text('host of the URL of iPXE binaries', { fallback: '--public-ipv4' }),
  'dhcp-ipxe-http-binary-port': number('port of the URL of iPXE binaries', { fallback: '--http-port' }),
  'dhcp-ipxe-http-binary-path': text('path of the URL of iPXE binaries', { default: '/ipxe/binary/' }),
  'dhcp-ipxe-http-script-scheme': text('scheme of the URL of iPXE scripts', { default: 'http' }),
  'dhcp-ipxe-http-script-host': text('host of the URL of iPXE scripts', { fallback: '--public-ipv4' }),
  'dhcp-ipxe-http-script-port': number('port of the URL of iPXE scripts', { fallback: '--http-port' }),
  'dhcp-ipxe-http-script-path': text('path of the URL of iPXE scripts', {
    default: '/ipxe/script/auto.ipxe',
  }),
  'dhcp-ipxe-http-script-prepend-mac': boolean('include the MAC in the URL of the script', {
    default: 'true',
  }),
});

export const dhcpv6Flags = flagGroup('DHCPv6', {
  'dhcpv6-enabled': boolean(
    'answer DHCPv6 with the boot file URL, name servers and the address of the Hardware',
    {
      default: 'false',
    },
  ),
  'dhcpv6-bind-interface': list('network interfaces to serve', { fallback: '--dhcp-bind-interface' }),
  'dhcpv6-ipxe-http-binary-url': text(
    'URL of iPXE binaries at an IPv6 address, such as http://[2001:db8::1]:7080/ipxe/binary/',
  ),
  'dhcpv6-ipxe-http-script-url': text(
    'URL of the script at an IPv6 address, such as http://[2001:db8::1]:7080/ipxe/script/auto.ipxe',
  ),
  'ipv6-router-advertisements': boolean(
    'answer router solicitations on networks without an IPv6 router. Older iPXE waits 4 to 16 s for an answer',
    { default: 'false' },
  ),
});
