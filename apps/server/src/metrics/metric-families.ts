/**
 * Every metric of the server, by the page it is on beside `/metrics`. docs/reference/metrics.md is made of this list, and a test
 * holds it against what a running server tells. Names and labels are upstream's where upstream has the metric.
 */
import type { MetricFamily } from '@tinkerbell/platform-telemetry';

export interface DescribedFamily extends MetricFamily {
  /** All of its labels; their values come from closed sets, or are names that an operator gave. */
  readonly labels: readonly string[];
}

export interface MetricPage {
  readonly path: string;
  readonly title: string;
  /** Whose counters these are. */
  readonly services: readonly string[];
  readonly families: readonly DescribedFamily[];
}

type Row = readonly [name: string, labels: string, help: string];

function counters(rows: readonly Row[]): DescribedFamily[] {
  return rows.map(([name, labels, help]) => ({ name, type: 'counter', labels: words(labels), help }));
}

function gauges(rows: readonly Row[]): DescribedFamily[] {
  return rows.map(([name, labels, help]) => ({ name, type: 'gauge', labels: words(labels), help }));
}

function histograms(rows: readonly Row[]): DescribedFamily[] {
  return rows.map(([name, labels, help]) => ({ name, type: 'histogram', labels: words(labels), help }));
}

function words(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

const boot: readonly DescribedFamily[] = [
  ...counters([
    ['dhcp_total', 'op type', 'DHCP messages received (recv) and sent (send)'],
    ['dhcp_sent_total', 'type', 'DHCP replies sent'],
    ['dhcp_ignored_total', 'reason', 'DHCP packets that were not answered'],
    [
      'dhcp_address_conflicts_total',
      '',
      'addresses of pools that a probe found in use before they were given',
    ],
    ['dhcp_foreign_offers_total', 'kind', 'offers of other DHCP servers that were seen'],
    ['dhcpv6_sent_total', 'type', 'DHCPv6 replies sent'],
    ['dhcpv6_ignored_total', 'reason', 'DHCPv6 packets that were not answered'],
    ['dhcpv6_no_boot_file_total', 'reason', 'DHCPv6 replies that name no boot file'],
    ['router_advertisements_total', 'outcome', 'IPv6 router advertisements'],
    ['discover_total', 'from', 'Hardware looked up for a machine that asks'],
    ['tftp_transfers_total', 'outcome', 'TFTP transfers that ended'],
    ['tftp_bytes_total', '', 'bytes sent by TFTP'],
    ['tftp_ignored_total', 'reason', 'TFTP packets that were not answered'],
    ['ipxe_script_requests_total', 'outcome', 'iPXE scripts asked for, by script or reason'],
    ['ipxe_binary_requests_total', 'outcome', 'iPXE binaries asked for by HTTP'],
    ['ipxe_binary_bytes_total', '', 'bytes of iPXE binaries sent by HTTP'],
    ['pxe_http_requests_total', 'outcome', 'boot files asked for by HTTP'],
    ['iso_requests_total', 'outcome', 'ISO images asked for'],
    ['iso_sent_bytes_total', '', 'bytes of ISO images sent'],
    ['iso_source_requests_total', 'outcome', 'requests to the sources of ISO images'],
    ['syslog_messages_total', 'severity sender', 'syslog messages received'],
    ['syslog_dropped_total', 'reason', 'syslog messages dropped'],
    ['syslog_cut_total', '', 'syslog messages cut to the length that is kept'],
    ['jobs_total', 'from op', 'boot files and scripts asked for by HTTP'],
  ]),
  ...gauges([
    ['dhcp_foreign_server', 'address kind', 'another DHCP server that was seen within the hour'],
    ['jobs_in_progress', 'from op', 'boot files and scripts being answered by HTTP'],
  ]),
  ...histograms([['jobs_duration_seconds', 'from op', 'until the answer to one of them begins']]),
];

const workflows: readonly DescribedFamily[] = [
  ...counters([
    ['grpc_server_started_total', 'grpc_type grpc_service grpc_method', 'calls that began'],
    [
      'grpc_server_handled_total',
      'grpc_type grpc_service grpc_method grpc_code',
      'calls and streams that ended',
    ],
    ['grpc_server_msg_received_total', 'grpc_type grpc_service grpc_method', 'messages received'],
    ['grpc_server_msg_sent_total', 'grpc_type grpc_service grpc_method', 'messages sent'],
    ['tink_server_reports_total', 'outcome', 'reports of agents, of all protocols'],
    ['tink_server_agents_refused_total', 'reason', 'calls of agents that were refused for who they are'],
    ['tink_server_agent_sessions_started_total', '', 'sessions of agents that began'],
    ['tink_server_agent_sessions_fenced_total', '', 'sessions that a newer one of the same agent ended'],
    ['tink_server_agents_fell_silent_total', '', 'agents of which nothing was heard for the silence'],
    ['tink_server_output_lines_total', 'outcome', 'lines of output of actions'],
    ['tink_server_auto_discovery_total', 'result', 'machines that came without Hardware'],
    ['tink_server_auto_enrollment_total', 'result', 'agents that came without a Workflow'],
  ]),
  ...gauges([
    ['tink_server_waiting_agents', '', 'calls held until there is an action'],
    ['tink_server_agent_sessions', '', 'sessions of agents'],
    ['tink_server_agents_connected', '', 'sessions with an open stream of actions'],
    ['tink_server_agents_silent', '', 'sessions of which nothing is heard'],
  ]),
  ...histograms([
    [
      'grpc_server_handling_seconds',
      'grpc_type grpc_service grpc_method',
      'from the begin to the end of a call; GetAction is held until there is an action',
    ],
    [
      'tink_server_next_action_seconds',
      '',
      'from the report that an action has succeeded until the next one is handed out to the agent',
    ],
  ]),
];

const controller: readonly DescribedFamily[] = [
  ...counters([
    ['controller_reconcile_total', '', 'looks at a workflow that were done'],
    ['controller_reconcile_errors_total', '', 'looks at a workflow that failed and are repeated'],
    ['workflow_transitions_total', 'to', 'workflows that came to a state'],
    ['kubernetes_events_written_total', '', 'Events written or counted up'],
    [
      'kubernetes_events_dropped_total',
      'reason',
      'Events let go of: limit, full queue, or a store that takes none',
    ],
  ]),
  ...gauges([
    ['controller_waiting', '', 'workflows that wait for a look'],
    ['workflows', 'state', 'workflows in a state; NEW is not rendered yet'],
    ['tinkerbell_leading', 'name', '1 where this one of several servers does the work'],
  ]),
];

const http: readonly DescribedFamily[] = [
  ...counters([['http_server_requests_total', 'method status_code', 'HTTP requests answered']]),
  ...gauges([['http_server_requests_in_progress', 'route', 'HTTP requests whose answer has not begun']]),
  ...histograms([
    [
      'http_server_request_duration_seconds',
      'route method status_code',
      'until the answer begins; sending it is not part of it',
    ],
  ]),
];

const others: readonly DescribedFamily[] = [
  ...counters([
    ['metadata_requests_total', 'kind outcome', 'requests for instance metadata'],
    ['images_requests_total', 'prefix', 'image files asked for'],
    ['images_not_found_total', 'prefix', 'image files that are not there'],
    ['images_not_modified_total', 'prefix', 'image files that the client has already'],
    ['images_unavailable_total', 'prefix', 'requests of image files while their directory could not be read'],
    ['images_sent_bytes_total', 'prefix', 'bytes of image files sent'],
    ['relay_forwarded_total', 'direction way', 'DHCP packets passed on by the relay'],
    ['relay_dropped_total', 'reason', 'DHCP packets not passed on'],
    ['relay_information_omitted_total', '', 'packets too full for the relay agent information'],
    ['gateway_requests_total', 'route code', 'requests answered by the gateway'],
    ['gateway_refused_total', 'route reason', 'requests that the gateway refused'],
    ['gateway_faults_total', 'reason', 'faults of clients and upstreams'],
    ['gateway_forwarded_total', 'forward', 'connections and datagram sessions forwarded'],
    ['gateway_forward_failed_total', 'forward', 'forwards that found no upstream'],
    ['gateway_reloads_total', 'result', 'changed route files that were read'],
    ['gateway_upstream_failures_total', 'endpoint', 'requests that an endpoint did not answer'],
    ['tinkerbell_cluster_retries_total', 'reason', 'requests to the Kubernetes API that were sent again'],
    ['tinkerbell_cluster_watch_restarts_total', '', 'watches of the Kubernetes API that were opened again'],
    ['tinkerbell_cluster_relists_total', '', 'watches of the Kubernetes API that had to list again'],
    ['api_audit_refusals_unrecorded', '', 'refused writes beyond what the audit takes in a second'],
    ['api_watches_too_slow_total', '', 'watches ended because their clients did not read their events'],
  ]),
  ...gauges([
    ['api_open_streams', '', 'open watches of the API'],
    ['api_watch_waiting_bytes', '', 'bytes of events that clients of watches have not read yet'],
    ['gateway_held_bytes', '', 'bytes of answers that clients of the gateway have not taken yet'],
    ['tinkerbell_cluster_in_touch', '', '1 while the Kubernetes API answers and its watches are open'],
    ['gateway_upstream_healthy', 'endpoint', '1 while health checks pass'],
  ]),
  ...histograms([
    ['gateway_request_seconds', 'route', 'until the answer begins'],
    ['tinkerbell_store_commit_seconds', 'outcome', 'until a write is durable, or refused'],
  ]),
];

export const metricPages: readonly MetricPage[] = [
  { path: '/smee/metrics', title: 'boot', services: ['boot'], families: boot },
  { path: '/tink-server/metrics', title: 'agents', services: ['workflows'], families: workflows },
  {
    path: '/controllers/metrics',
    title: 'controller',
    services: ['controller', 'events'],
    families: controller,
  },
  { path: '/http/metrics', title: 'HTTP', services: [], families: http },
];

export const otherFamilies = others;
export const allFamilies = [...metricPages.flatMap(({ families }) => families), ...others];
