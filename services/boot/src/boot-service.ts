import type { Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { createBinaryInventory, withInventory } from './boot-files/binary-inventory.ts';
import { createBootFiles, type BootFiles } from './boot-files/index.ts';
import { bootRoutes } from './http/boot-routes.ts';
import type { BootConfig, BootDeps } from './config.ts';
import { createDhcp } from './dhcp/dhcp.ts';
import { createIpv6Listeners } from './ipv6/ipv6-listeners.ts';
import { createIsoImages } from './iso/images.ts';
import { createBootMetrics, type BootMetrics } from './metrics.ts';
import { SyslogListener } from './syslog/listener.ts';
import { TftpListener } from './tftp/listener.ts';
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
  const dhcp = createDhcp(deps, config, metrics);
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
      const closeAll = async () => {
        isListening = false;
        await Promise.all([dhcp, ...listeners].map((each) => each.stop()));
      };
      try {
        await inventory.load();
        await dhcp.start();
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
    health: () => healthOf(isListening && dhcp.isRunning(), deps.view.ready()),
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
