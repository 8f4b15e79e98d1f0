import type { MetricSet } from '@tinkerbell/platform-metrics';

export type BootMetrics = ReturnType<typeof createBootMetrics>;

/** The counters of DHCP, TFTP, HTTP boot and syslog. `dhcp_total` and `discover_total` are upstream's. */
export function createBootMetrics(set: MetricSet) {
  return { ...dhcpMetrics(set), ...ipv6Metrics(set), ...fileMetrics(set), ...syslogMetrics(set) };
}

function dhcpMetrics(set: MetricSet) {
  return {
    dhcpMessages: set.counter('dhcp_total', 'DHCP messages received (recv) and sent (send)', ['op', 'type']),
    dhcpSent: set.counter('dhcp_sent_total', 'DHCP replies sent', ['type']),
    dhcpIgnored: set.counter('dhcp_ignored_total', 'DHCP packets that were not answered', ['reason']),
    dhcpAddressConflicts: set.counter(
      'dhcp_address_conflicts_total',
      'pool addresses that a probe found in use before they were assigned',
    ),
    dhcpForeignOffers: set.counter('dhcp_foreign_offers_total', 'offers of other DHCP servers seen', [
      'kind',
    ]),
    dhcpForeignServer: set.gauge(
      'dhcp_foreign_server',
      '1 for each other DHCP server seen within the last hour',
      ['address', 'kind'],
    ),
    hardwareLookups: set.counter('discover_total', 'lookups of the Hardware of a machine', ['from']),
  };
}

function ipv6Metrics(set: MetricSet) {
  return {
    dhcpv6Sent: set.counter('dhcpv6_sent_total', 'DHCPv6 replies sent', ['type']),
    dhcpv6Ignored: set.counter('dhcpv6_ignored_total', 'DHCPv6 packets that were not answered', ['reason']),
    dhcpv6NoBootFile: set.counter('dhcpv6_no_boot_file_total', 'DHCPv6 replies without a boot file', [
      'reason',
    ]),
    routerAdvertisements: set.counter('router_advertisements_total', 'IPv6 router advertisements', [
      'outcome',
    ]),
  };
}

function fileMetrics(set: MetricSet) {
  return {
    tftpTransfers: set.counter('tftp_transfers_total', 'TFTP transfers that ended', ['outcome']),
    tftpBytes: set.counter('tftp_bytes_total', 'bytes sent by TFTP'),
    tftpIgnored: set.counter('tftp_ignored_total', 'TFTP packets that were not answered', ['reason']),
    ipxeScripts: set.counter('ipxe_script_requests_total', 'requests for iPXE scripts, by script or reason', [
      'outcome',
    ]),
    ipxeBinaries: set.counter('ipxe_binary_requests_total', 'HTTP requests for iPXE binaries', ['outcome']),
    ipxeBinaryBytes: set.counter('ipxe_binary_bytes_total', 'bytes of iPXE binaries sent by HTTP'),
    pxeFiles: set.counter('pxe_http_requests_total', 'HTTP requests for boot files', ['outcome']),
    isoRequests: set.counter('iso_requests_total', 'requests for ISO images', ['outcome']),
    isoSentBytes: set.counter('iso_sent_bytes_total', 'bytes of ISO images sent'),
    isoSourceRequests: set.counter('iso_source_requests_total', 'requests to the sources of ISO images', [
      'outcome',
    ]),
  };
}

function syslogMetrics(set: MetricSet) {
  return {
    syslogMessages: set.counter('syslog_messages_total', 'syslog messages received', ['severity', 'sender']),
    syslogDropped: set.counter('syslog_dropped_total', 'syslog messages dropped', ['reason']),
    syslogCut: set.counter('syslog_cut_total', 'syslog messages cut to the longest length that is kept'),
  };
}
