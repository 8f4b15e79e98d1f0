import type { Datagram, Service, UdpSocket } from '@tinkerbell/platform-contract';
import { createBinaryRoute } from './binary-route.ts';
import { createBootFiles } from './boot-files.ts';
import type { BootConfig, BootDeps, DhcpConfig } from './config.ts';
import { createCounters } from './counters.ts';
import { createDhcpListener } from './dhcp-listener.ts';
import { createDhcpTimeline } from './dhcp-timeline.ts';
import { createScriptRoute } from './script-route.ts';
import { TftpListener } from './tftp-listener.ts';
import { createTftpTimeline } from './tftp-timeline.ts';

export interface BootService extends Service {
  /** The port TFTP listens on, once started; undefined when it is disabled. */
  tftpPort(): number | undefined;
}

/** DHCP, TFTP, iPXE scripts and binaries. `start` rejects with the platform's error when a port is taken. */
export function createBootService(deps: BootDeps, config: BootConfig): BootService {
  const counters = createCounters();
  const files = createBootFiles(deps, config);
  const onDatagram = createDhcpListener(deps, config, createDhcpTimeline(deps, counters));
  const tftpTimeline = createTftpTimeline(deps, counters);
  const tftp =
    config.tftp === undefined
      ? undefined
      : new TftpListener({ deps, config: config.tftp, files, timeline: tftpTimeline });
  const routes = [
    ...(config.routes.binary ? [createBinaryRoute({ deps, files, counters })] : []),
    ...(config.routes.script ? [createScriptRoute({ deps, config, counters })] : []),
  ];
  const ended = Promise.withResolvers<void>();
  let isListening = false;

  return {
    name: 'boot',
    routes,
    async start(signal) {
      const sockets: UdpSocket[] = [];
      const closeAll = async () => {
        isListening = false;
        await Promise.all([tftp?.stop(), ...sockets.map((socket) => socket.close())]);
      };
      try {
        if (config.dhcp !== undefined)
          await openDhcpSockets(deps, { ...config, dhcp: config.dhcp }, { onDatagram, sockets });
        await tftp?.start();
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
    health() {
      const ready = isListening && deps.view.ready();
      const reason = isListening ? 'the view of the store is not filled yet' : 'DHCP and TFTP do not listen';
      return ready ? { ready, counters: counters.values() } : { ready, reason, counters: counters.values() };
    },
    tftpPort: () => tftp?.local?.port,
  };
}

/**
 * One socket per network interface, or, when none is named, one on all addresses that receives and one on our address
 * that sends: a broadcast leaves by the interface of the address its socket is bound to, also without a default route.
 */
async function openDhcpSockets(
  { udp, log }: Pick<BootDeps, 'udp' | 'log'>,
  { dhcp, netboot }: Pick<BootConfig, 'netboot'> & { readonly dhcp: DhcpConfig },
  to: { onDatagram(datagram: Datagram, socket: UdpSocket): void; readonly sockets: UdpSocket[] },
): Promise<void> {
  const { address, port } = dhcp;
  const open = async (options: { address: string; networkInterface?: string }, sender?: UdpSocket) => {
    const socket: UdpSocket = await udp.open(
      { port, broadcast: true, reuseAddress: true, ...options },
      {
        onDatagram: (datagram) => to.onDatagram(datagram, sender ?? socket),
        onError: (error) => log.warn('DHCP socket error', { error: error.message }),
      },
    );
    to.sockets.push(socket);
    return socket;
  };
  for (const networkInterface of dhcp.networkInterfaces) await open({ address, networkInterface });
  if (dhcp.networkInterfaces.length > 0) return;
  const isAny = address === '0.0.0.0';
  const sender = isAny ? await open({ address: netboot.serverAddress }) : undefined;
  await open({ address }, sender);
}
