import type { MetricSet } from '@tinkerbell/platform-metrics';

export type WorkflowsMetrics = ReturnType<typeof createWorkflowsMetrics>;
export type SessionMetrics = ReturnType<typeof sessionMetrics>;
export type CallMetrics = ReturnType<typeof callMetrics>;

/** Buckets from the time of one write to memory up to a delay that a machine notices. */
const NEXT_ACTION_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
const METHOD = ['grpc_type', 'grpc_service', 'grpc_method'] as const;

/** The metrics of the agents' server. `grpc_server_*` are those of go-grpc-middleware, which upstream uses. */
export function createWorkflowsMetrics(set: MetricSet) {
  return { ...callMetrics(set), ...sessionMetrics(set), ...agentMetrics(set) };
}

function callMetrics(set: MetricSet) {
  return {
    callsStarted: set.counter('grpc_server_started_total', 'gRPC calls started', METHOD),
    callsHandled: set.counter('grpc_server_handled_total', 'gRPC calls and streams that ended', [
      ...METHOD,
      'grpc_code',
    ]),
    messagesReceived: set.counter('grpc_server_msg_received_total', 'gRPC messages received', METHOD),
    messagesSent: set.counter('grpc_server_msg_sent_total', 'gRPC messages sent', METHOD),
    callSeconds: set.histogram(
      'grpc_server_handling_seconds',
      'duration of a gRPC call; GetAction is held until there is an action',
      { labels: METHOD },
    ),
  };
}

function sessionMetrics(set: MetricSet) {
  return {
    sessionsStarted: set.counter('tink_server_agent_sessions_started_total', 'agent sessions started'),
    sessionsFenced: set.counter(
      'tink_server_agent_sessions_fenced_total',
      'agent sessions that a newer session of the same agent ended',
    ),
    agentsFellSilent: set.counter(
      'tink_server_agents_fell_silent_total',
      'agents that became silent for longer than the limit',
    ),
    sessions: set.gauge('tink_server_agent_sessions', 'agent sessions'),
    agentsConnected: set.gauge(
      'tink_server_agents_connected',
      'agent sessions with an open stream of actions',
    ),
    agentsSilent: set.gauge('tink_server_agents_silent', 'agents silent longer than the limit'),
  };
}

function agentMetrics(set: MetricSet) {
  return {
    reports: set.counter('tink_server_reports_total', 'action reports of agents, over all protocols', [
      'outcome',
    ]),
    agentsRefused: set.counter(
      'tink_server_agents_refused_total',
      'agent calls refused for lack of a valid identity',
      ['reason'],
    ),
    outputLines: set.counter('tink_server_output_lines_total', 'lines of action output', ['outcome']),
    autoDiscovery: set.counter(
      'tink_server_auto_discovery_total',
      'machines that connected without a Hardware',
      ['result'],
    ),
    autoEnrollment: set.counter(
      'tink_server_auto_enrollment_total',
      'agents that connected without a Workflow',
      ['result'],
    ),
    waitingAgents: set.gauge('tink_server_waiting_agents', 'calls held until there is an action'),
    nextActionSeconds: set.histogram(
      'tink_server_next_action_seconds',
      'time from the report that an action succeeded until its agent receives the next one',
      { bounds: NEXT_ACTION_SECONDS },
    ),
  };
}
