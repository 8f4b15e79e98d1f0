/** The gRPC server that agents talk to (upstream tink/server). */
import { readFile } from 'node:fs/promises';
import {
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { Calls } from './calls.ts';
import {
  WorkflowService,
  type ActionRequest,
  type ActionResponse,
  type ActionStatusRequest,
  type ActionStatusResponse,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import {
  PlatformError,
  type Clock,
  type Log,
  type Random,
  type Service,
} from '@tinkerbell/platform-contract';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { Change, Journal, Store, View } from '@tinkerbell/store-contract';
import { workflowCollection } from './apply-event.ts';
import { hardwareCollection } from './discover.ts';
import { ruleSetCollection } from './enroll.ts';
import { getAction } from './get-action.ts';
import { Newcomers, type AutoDiscoveryConfig, type AutoEnrollmentConfig } from './newcomers.ts';
import { reportActionStatus } from './report-action-status.ts';
import { Timeline } from './timeline.ts';
import { WaitingAgents } from './waiting-agents.ts';

export interface WorkflowsDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface WorkflowsConfig {
  readonly address: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly holdMs?: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Absent: machines are not discovered. */
  readonly autoDiscovery?: AutoDiscoveryConfig;
  /** Absent: agents without a Workflow get none by themselves. */
  readonly autoEnrollment?: AutoEnrollmentConfig;
}

export interface WorkflowsService extends Service {
  /** The port it listens on, once started. */
  port(): number;
}

const HOLD_MS = 60_000;
const CLOSE_GRACE_MS = 2000;
const KEEPALIVE_MS = 30_000;
const MESSAGE_BYTES_LIMIT = 4 * 1024 * 1024;

export function createWorkflowsService(deps: WorkflowsDeps, config: WorkflowsConfig): WorkflowsService {
  const stopping = new AbortController();
  const waiting = new WaitingAgents();
  const calls = new Calls(deps.log, stopping.signal);
  const newcomers = new Newcomers(config);
  const callDeps = {
    ...deps,
    waiting,
    newcomers,
    timeline: new Timeline(deps.journal, deps.view),
    holdMs: config.holdMs ?? HOLD_MS,
  };
  const server = serverFor({
    getAction: calls.unary<ActionRequest, ActionResponse>('GetAction', (request, signal) =>
      getAction(callDeps, request, signal),
    ),
    reportActionStatus: calls.unary<ActionStatusRequest, ActionStatusResponse>(
      'ReportActionStatus',
      (request) => reportActionStatus(callDeps, request),
    ),
  });
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  let boundPort = 0;

  return {
    name: 'workflows',
    routes: [],
    port: () => boundPort,
    stopped: () => stopped,
    health: () => ({
      ready: boundPort !== 0,
      counters: {
        ...calls.counters,
        ...newcomers.counters,
        tink_server_waiting_agents: waiting.count(),
      },
    }),
    async start(signal) {
      const unfollow = deps.view.onChange((change) => {
        wakeFor(change, waiting, newcomers.enrollment !== undefined);
      });
      boundPort = await bind(server, config);
      signal.addEventListener('abort', () => {
        stopping.abort();
        unfollow();
        void shutDown(server, deps.clock).then(markStopped);
      });
    },
  };
}

/** Who may get something now: the agent of a workflow; with enrollment, those of a Hardware, and for a rule set everybody. */
function wakeFor({ key, object }: Change, waiting: WaitingAgents, enrolls: boolean): void {
  if (key.collection === workflowCollection) {
    const agentId = (object as Workflow).status?.agentID;
    if (agentId !== undefined) waiting.wake(agentId);
  } else if (enrolls && key.collection === ruleSetCollection) {
    waiting.wakeAll();
  } else if (enrolls && key.collection === hardwareCollection) {
    const { agentID, interfaces = [] } = (object as Hardware).spec ?? {};
    for (const name of [agentID, ...interfaces.map(({ dhcp }) => dhcp?.mac)])
      if (name !== undefined) waiting.wake(name);
  }
}

function serverFor(handlers: UntypedServiceImplementation): Server {
  // The library writes to standard error by itself; what matters is logged here.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.max_receive_message_length': MESSAGE_BYTES_LIMIT,
  });
  server.addService(serviceDefinition(WorkflowService) as never, handlers);
  return server;
}

async function bind(server: Server, config: WorkflowsConfig): Promise<number> {
  const credentials = await credentialsOf(config);
  return new Promise((resolve, reject) => {
    server.bindAsync(`${config.address}:${config.port}`, credentials, (cause, port) => {
      if (cause === null) resolve(port);
      else reject(bindError(config, cause));
    });
  });
}

function bindError(config: WorkflowsConfig, cause: Error): PlatformError {
  if (/EADDRINUSE/.test(cause.message))
    return new PlatformError('address-in-use', `TCP port ${config.port} is in use`, { cause });
  return new PlatformError('unavailable', `cannot listen on ${config.address}:${config.port}`, { cause });
}

async function credentialsOf(config: WorkflowsConfig): Promise<ServerCredentials> {
  if (config.tls === undefined) return ServerCredentials.createInsecure();
  const [certificate, key] = await Promise.all([readFile(config.tls.certFile), readFile(config.tls.keyFile)]);
  return ServerCredentials.createSsl(null, [{ cert_chain: certificate, private_key: key }]);
}

function shutDown(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const force = clock.schedule(CLOSE_GRACE_MS, () => server.forceShutdown());
    server.tryShutdown(() => {
      force();
      resolve();
    });
  });
}
