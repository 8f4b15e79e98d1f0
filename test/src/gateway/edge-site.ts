/**
 * Machines on one network, the server on another, and between them a computer that routes nothing. All
 * traffic passes the gateway and the DHCP relay that run there.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createNetworkHost,
  startRouterAdvertiser,
  type NetworkHost,
  type PrivateNetwork,
} from '@tinkerbell/sandbox';

const main = join(import.meta.dirname, '../../../apps/server/src/main.mjs');

export const SITE = {
  machineBridge: 'machines',
  serverBridge: 'servers',
  machineNetwork: '10.9.2',
  /** The gateway's addresses, as machines see it and as the server does. */
  front: '10.9.2.1',
  back: '10.9.1.1',
  server: '10.9.1.4',
  serverInterface: 'eth0',
} as const;

/** The ports of upstream's stack, each with its backend. HTTP rows send the server the client's address. */
const ROUTES = `
listeners:
  - { name: metadata, port: 50061 }
  - { name: files, port: 8080 }
  - { name: boot, port: 7171 }
routes:
  - { name: metadata, listeners: [metadata], upstream: { endpoints: "${SITE.server}:50061" } }
  - { name: files, listeners: [files], upstream: { endpoints: "${SITE.server}:7080" } }
  - { name: boot, listeners: [boot], upstream: { endpoints: "${SITE.server}:7080" } }
forwards:
  - { name: grpc, protocol: tcp, listen: "0.0.0.0:42113", to: "${SITE.server}:42113" }
  - { name: tftp, protocol: udp, listen: "0.0.0.0:69", to: "${SITE.server}:69" }
  - { name: syslog, protocol: udp, listen: "0.0.0.0:514", to: "${SITE.server}:514" }
`;

/** The flags with which the server sends machines the address of the gateway. */
export const SERVER_FLAGS = [
  `--trusted-proxies=${SITE.back}`,
  `--dhcp-tftp-ip=${SITE.front}`,
  `--dhcp-syslog-ip=${SITE.front}`,
  `--dhcp-ipxe-http-binary-host=${SITE.front}`,
  '--dhcp-ipxe-http-binary-port=7171',
  `--dhcp-ipxe-http-script-host=${SITE.front}`,
  '--dhcp-ipxe-http-script-port=7171',
  `--ipxe-http-script-osie-url=http://${SITE.front}:8080/hook`,
  `--ipxe-script-tink-server-addr-port=${SITE.front}:42113`,
] as const;

export interface EdgeSite {
  readonly edge: NetworkHost;
  readonly server: NetworkHost;
  /** Adds a computer among the machines. It can reach only the gateway. */
  addClient(lastNumber: number): Promise<NetworkHost>;
}

export async function createEdgeSite(
  network: PrivateNetwork,
  cleanup: AsyncDisposableStack,
): Promise<EdgeSite> {
  await network.addBridge(SITE.serverBridge, '10.9.1.2/24');
  await network.addBridge(SITE.machineBridge);
  cleanup.defer(startRouterAdvertiser(SITE.machineBridge));
  const addHost = async (legs: Parameters<typeof createNetworkHost>[0]): Promise<NetworkHost> => {
    const host = await createNetworkHost(legs);
    cleanup.defer(() => host.stop());
    return host;
  };
  const edge = await addHost([
    { name: 'up0', bridge: SITE.serverBridge, address: `${SITE.back}/24` },
    { name: 'down0', bridge: SITE.machineBridge, address: `${SITE.front}/24` },
  ]);
  await edge.run('sysctl', '-qw', 'net.ipv4.ip_forward=0');
  const server = await addHost([
    { name: SITE.serverInterface, bridge: SITE.serverBridge, address: `${SITE.server}/24` },
  ]);
  // DHCP servers answer relays at the address on the client side.
  await server.run('ip', 'route', 'add', `${SITE.front}/32`, 'via', SITE.back);
  return {
    edge,
    server,
    addClient: (lastNumber) =>
      addHost([
        { name: 'eth0', bridge: SITE.machineBridge, address: `${SITE.machineNetwork}.${lastNumber}/24` },
      ]),
  };
}

/** Gateway and DHCP relay in one process, and nothing else. */
export async function startEdge(
  edge: NetworkHost,
  directory: string,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const routes = join(directory, 'routes.yaml');
  await writeFile(routes, ROUTES);
  const others = ['smee', 'tink-server', 'tink-controller', 'images', 'tootles'];
  const child = await edge.start(process.execPath, [
    main,
    `--data-dir=${join(directory, 'edge')}`,
    ...others.map((name) => `--enable-${name}=false`),
    '--enable-relay',
    '--relay-interface=down0',
    `--relay-server=${SITE.server}`,
    `--public-ipv4=${SITE.front}`,
    '--enable-gateway',
    `--gateway-config=${routes}`,
    '--log-format=text',
  ]);
  cleanup.defer(() => child.stop());
  let said = '';
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.process.stdout, child.process.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-4000);
        if (/\bready\b/.test(said)) resolve();
      });
  });
  const ended = child.ended.then((code) => Promise.reject(new Error(`the gateway ended (${code}): ${said}`)));
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
}
