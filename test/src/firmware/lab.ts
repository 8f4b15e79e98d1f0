/**
 * The networks of one boot: a segment with the server, and optionally another one behind a relay with the
 * machine, and a foreign DHCP server where ours is a proxy. All are in namespaces that end with this process.
 */
import {
  createNetworkHost,
  startRouterAdvertiser,
  type NetworkHost,
  type PrivateNetwork,
} from '@tinkerbell/sandbox';

export interface LabOptions {
  /** Identifies the labs of one process: 1 to 250. */
  readonly index: number;
  readonly isRelayed: boolean;
}

export interface Lab {
  /** The segment to which the machine is connected. */
  readonly machineBridge: string;
  /** The address without its last number: `10.1.1` for the server's segment, `10.1.2` for the relayed one. */
  readonly serverNetwork: string;
  readonly machineNetwork: string;
  readonly serverAddress: string;
  /** The address of this process on the server's segment. */
  readonly ownAddress: string;
  readonly server: NetworkHost;
  /** Routes between the segments and runs the DHCP relay. */
  readonly relay: NetworkHost | undefined;
  /** Another host on the server's segment. */
  addHost(lastNumber: number): Promise<{ readonly host: NetworkHost; readonly address: string }>;
}

const SERVER = 4;
const RELAY = 1;
const OURS = 2;

/** The names of the relay host's network interfaces. */
export const RELAY_INTERFACES = { towardsServer: 'up0', towardsMachines: 'down0' } as const;
export const HOST_INTERFACE = 'eth0';

export async function createLab(
  network: PrivateNetwork,
  { index, isRelayed }: LabOptions,
  cleanup: AsyncDisposableStack,
): Promise<Lab> {
  const [serverBridge, relayedBridge] = [`near${index}`, `far${index}`];
  const [serverNetwork, relayedNetwork] = [`10.${index}.1`, `10.${index}.2`];
  await network.addBridge(serverBridge, `${serverNetwork}.${OURS}/24`);
  if (isRelayed) await network.addBridge(relayedBridge);
  const machineBridge = isRelayed ? relayedBridge : serverBridge;
  cleanup.defer(startRouterAdvertiser(machineBridge));
  const addHost = async (lastNumber: number) => {
    const address = `${serverNetwork}.${lastNumber}`;
    const leg = { name: HOST_INTERFACE, bridge: serverBridge, address: `${address}/24` };
    const host = await createNetworkHost([leg]);
    cleanup.defer(() => host.stop());
    if (isRelayed) await host.run('ip', 'route', 'add', 'default', 'via', `${serverNetwork}.${RELAY}`);
    return { host, address };
  };
  const relay = isRelayed
    ? await createNetworkHost([
        {
          name: RELAY_INTERFACES.towardsServer,
          bridge: serverBridge,
          address: `${serverNetwork}.${RELAY}/24`,
        },
        {
          name: RELAY_INTERFACES.towardsMachines,
          bridge: relayedBridge,
          address: `${relayedNetwork}.${RELAY}/24`,
        },
      ])
    : undefined;
  if (relay !== undefined) cleanup.defer(() => relay.stop());
  const server = await addHost(SERVER);
  return {
    machineBridge,
    serverNetwork,
    machineNetwork: isRelayed ? relayedNetwork : serverNetwork,
    serverAddress: server.address,
    ownAddress: `${serverNetwork}.${OURS}`,
    server: server.host,
    relay,
    addHost,
  };
}
