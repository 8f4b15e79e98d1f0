import type { UdpSocket } from '@tinkerbell/platform-contract';
import type { BootConfig, BootDeps } from '../config.ts';
import type { DhcpConfig } from './dhcp-config.ts';
import type { BootMetrics } from '../metrics.ts';
import { createClientLimit } from './client-limit.ts';
import { createForeignServers } from './foreign-servers.ts';
import { createDhcpListener } from './listener.ts';
import { DhcpPools } from './pools.ts';
import { openDhcpSockets } from './sockets.ts';
import { DhcpThread } from './thread/dhcp-thread.ts';
import { createDhcpTimeline, type DhcpTimeline } from './timeline.ts';
import { DhcpTraffic } from './traffic.ts';
import { createUnknownSightings } from './unknown-sightings.ts';

export interface Dhcp {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** False while its thread starts again after a failure. */
  isRunning(): boolean;
}

/** Answers DHCP packets, in a thread of its own when `deps` can start one. */
export function createDhcp(deps: BootDeps, config: BootConfig, metrics: BootMetrics): Dhcp {
  const timeline = createDhcpTimeline(deps, metrics);
  const traffic = new DhcpTraffic(metrics);
  const pools = poolsOf(deps, config, timeline);
  const foreignServers = createForeignServers(deps, config, metrics);
  const heard = { timeline, traffic, pools, foreignServers, reportUnknown: createUnknownSightings(deps) };
  const { dhcp } = config;
  const packets =
    dhcp === undefined ? undefined : receiverOf(deps, { ...config, dhcp }, { ...heard, metrics });
  return {
    async start() {
      await pools?.load();
      await packets?.start();
      await foreignServers.start();
    },
    async stop() {
      foreignServers.stop();
      await packets?.stop();
    },
    isRunning: () => packets?.isRunning() ?? true,
  };
}

type Config = Pick<BootConfig, 'netboot'> & { readonly dhcp: DhcpConfig };
type Heard = Omit<Parameters<typeof createDhcpListener>[0], 'view' | 'mayAsk' | 'reserved'> & {
  readonly traffic: DhcpTraffic;
  readonly metrics: BootMetrics;
};

/** A traced exchange is a span of the main thread. */
function receiverOf(deps: BootDeps, config: Config, heard: Heard): Dhcp {
  const { startDhcpThread: startThread, tracer } = deps;
  if (startThread === undefined || tracer?.isOn === true) return ownReceiver(deps, config, heard);
  const thread = new DhcpThread({ ...deps, ...heard, startThread }, config);
  const onDhcp = createDhcpListener(
    // The thread has limited its clients.
    { ...deps, ...heard, mayAsk: () => true, reserved: (result) => thread.reserved(result) },
    { netboot: thread.settings() },
  );
  return {
    start: () => thread.start(onDhcp),
    stop: () => thread.stop(),
    isRunning: () => thread.isRunning(),
  };
}

function ownReceiver(deps: BootDeps, config: Config, heard: Heard): Dhcp {
  const onDhcp = createDhcpListener({ ...deps, ...heard, mayAsk: createClientLimit(deps.clock) }, config);
  const sockets: UdpSocket[] = [];
  const onSocketError = (error: string) => deps.log.warn('DHCP socket error', { error });
  return {
    start: () => openDhcpSockets({ ...deps, onSocketError }, config, { onDhcp, sockets }),
    stop: async () => void (await Promise.all(sockets.map((socket) => socket.close()))),
    isRunning: () => true,
  };
}

/**
 * Absent without pools. @throws Error when pools are configured without a place to write their leases, which is an error in the
 * composition.
 */
function poolsOf(deps: BootDeps, { netboot }: BootConfig, timeline: DhcpTimeline): DhcpPools | undefined {
  if ((netboot.pools ?? []).length === 0) return undefined;
  const { leases, probe } = deps;
  if (leases === undefined || probe === undefined) throw new Error('address pools need leases and a probe');
  return new DhcpPools({ ...deps, leases, probe, timeline }, netboot);
}
