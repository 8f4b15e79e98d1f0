import type { Service, UdpSocket } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { createBinaryInventory, withInventory } from './boot-files/binary-inventory.ts';
import { createBootFiles, type BootFiles } from './boot-files/index.ts';
import { bootRoutes } from './http/boot-routes.ts';
import { createClientLimit } from './dhcp/client-limit.ts';
import type { BootConfig, BootDeps } from './config.ts';
import { createDhcpListener } from './dhcp/listener.ts';
import { openDhcpSockets } from './dhcp/sockets.ts';
import { DhcpPools } from './dhcp/pools.ts';
import { DhcpTraffic } from './dhcp/traffic.ts';
import { createDhcpTimeline, type DhcpTimeline } from './dhcp/timeline.ts';
import { createForeignServers } from './dhcp/foreign-servers.ts';
import { createIpv6Listeners } from './ipv6/ipv6-listeners.ts';
import { createIsoImages } from './iso/images.ts';
import { createBootMetrics, type BootMetrics } from './metrics.ts';
import { SyslogListener } from './syslog/listener.ts';
import { TftpListener } from './tftp/listener.ts';
import { createUnknownSightings } from './dhcp/unknown-sightings.ts';
import { createTftpTimeline } from './tftp/timeline.ts';

export interface BootService extends Service {
  /** The TFTP port after the start. Undefined when TFTP is disabled. */
  tftpPort(): number | undefined;
  /** The syslog port after the start. Undefined when syslog is disabled. */
  syslogPort(): number | undefined;
}

/** Runs DHCP, TFTP, syslog, iPXE scripts and binaries. `start` rejects with the platform's error when a port is in use. */
export function createBootService(deps: BootDeps, given: BootConfig): BootService {
  const set = new MetricSet();
  const metrics = createBootMetrics(set);
  const files = createBootFiles(deps, given);
  const inventory = createBinaryInventory(deps, { files, config: given });
  const config = { ...given, netboot: withInventory(given, inventory) };
  const timeline = createDhcpTimeline(deps, metrics);
  const traffic = new DhcpTraffic(metrics);
  const mayAsk = createClientLimit(deps.clock);
  const pools = poolsOf(deps, config, timeline);
  const foreignServers = createForeignServers(deps, config, metrics);
  const { view } = deps;
  const reportUnknown = createUnknownSightings(deps);
  const heard = { timeline, traffic, mayAsk, pools, foreignServers, reportUnknown };
  const onDhcp = createDhcpListener({ ...deps, ...heard }, config);
  const tftp = tftpListener(deps, { config, files, metrics });
  const syslog =
    config.syslog === undefined ? undefined : new SyslogListener({ deps, config: config.syslog, metrics });
  const ipv6 = createIpv6Listeners(deps, config, metrics);
  const iso = createIsoImages(deps, config, metrics);
  const listeners = [...ipv6, tftp, syslog, iso].filter((each) => each !== undefined);
  const routes = bootRoutes({ deps, config, files, metrics, iso: iso?.route });
  const ended = Promise.withResolvers<void>();
  let isListening = false;

  return {
    name: 'boot',
    routes,
    metrics: set,
    async start(signal) {
      const sockets: UdpSocket[] = [];
      const closeAll = async () => {
        isListening = false;
        foreignServers.stop();
        const ending = [...listeners.map((each) => each.stop()), ...sockets.map((each) => each.close())];
        await Promise.all(ending);
      };
      try {
        await inventory.load();
        await pools?.load();
        if (config.dhcp !== undefined)
          await openDhcpSockets(deps, { ...config, dhcp: config.dhcp }, { onDhcp, sockets });
        await foreignServers.start();
        for (const each of listeners) await each.start();
      } catch (error) {
        await closeAll();
        throw error;
      }
      isListening = true;
      const stop = () => void closeAll().then(ended.resolve, ended.reject);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    stopped: () => ended.promise,
    health: () => healthOf(isListening, view.ready()),
    tftpPort: () => tftp?.local?.port,
    syslogPort: () => syslog?.local?.port,
  };
}

function tftpListener(
  deps: BootDeps,
  input: { readonly config: BootConfig; readonly files: BootFiles; readonly metrics: BootMetrics },
): TftpListener | undefined {
  const { config, files, metrics } = input;
  if (config.tftp === undefined) return undefined;
  return new TftpListener({ deps, config: config.tftp, files, timeline: createTftpTimeline(deps, metrics) });
}

function healthOf(isListening: boolean, isViewReady: boolean) {
  if (isListening && isViewReady) return { ready: true };
  const reason = isListening
    ? 'the view of the store is not filled yet'
    : 'DHCP, TFTP and syslog do not listen';
  return { ready: false, reason };
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
