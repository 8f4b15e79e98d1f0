/** A switch, and namespaces that are connected to it by links of the same rate. */
import type { BenchContext } from './benchmark.ts';
import { createNetwork, ip, type NetworkNamespace } from './network-namespace.ts';
import { mustRun } from './running-program.ts';

/** The one that every kernel lets a namespace choose. It shares a link between connections more evenly than BBR does. */
const CONTROL = 'net.ipv4.tcp_congestion_control=reno';
const INTERFACE = 'eth0';
/** The queue of a port. A longer one delays small packets, and a shorter one drops them. */
const QUEUE = ['burst', '128kb', 'latency', '50ms'];

export interface RackPort {
  readonly network: NetworkNamespace;
  /** 10.199.0.1 is the first one. */
  readonly address: string;
  /** Bytes that it has sent on its link, with headers and repetitions. */
  sentBytes(): Promise<number>;
}

/** Links carry `megabits` a second in each direction at once. */
export async function createRackNetwork(
  context: BenchContext,
  { ports, megabits }: { readonly ports: number; readonly megabits: number },
): Promise<readonly RackPort[]> {
  const center = await createNetwork(context);
  await ip(context, center, 'link', 'add', 'br0', 'type', 'bridge', 'forward_delay', '0');
  await ip(context, center, 'link', 'set', 'br0', 'up');
  const shape = async (network: NetworkNamespace, name: string): Promise<void> => {
    const rate = ['rate', `${megabits}mbit`, ...QUEUE];
    await mustRun(context, {
      command: ['tc', 'qdisc', 'add', 'dev', name, 'root', 'tbf', ...rate],
      network,
    });
  };
  const connect = async (number: number): Promise<RackPort> => {
    const network = await createNetwork(context);
    await mustRun(context, { command: ['sysctl', '-qw', CONTROL], network });
    const [address, port] = [`10.199.0.${number + 1}`, `port${number}`];
    const peer = ['peer', 'name', INTERFACE, 'netns', String(network.holderPid)];
    await ip(context, center, 'link', 'add', port, 'type', 'veth', ...peer);
    await ip(context, center, 'link', 'set', port, 'master', 'br0', 'up');
    await ip(context, network, 'address', 'add', `${address}/16`, 'dev', INTERFACE);
    await ip(context, network, 'link', 'set', INTERFACE, 'up');
    await shape(center, port);
    await shape(network, INTERFACE);
    return { network, address, sentBytes: () => sentOn(context, network) };
  };
  const connected: RackPort[] = [];
  for (let number = 0; number < ports; number += 1) connected.push(await connect(number));
  return connected;
}

async function sentOn(context: BenchContext, network: NetworkNamespace): Promise<number> {
  const command = ['ip', '-json', '-stats', 'link', 'show', 'dev', INTERFACE] as const;
  const { output } = await mustRun(context, { command: [...command], network });
  return Number(/"tx":\{"bytes":(\d+)/.exec(output)?.[1] ?? Number.NaN);
}
