/**
 * Isolated networks. A namespace lives as long as the process that holds it, so a run that was killed leaves
 * nothing behind.
 */
import { readlinkSync } from 'node:fs';

import { CannotRun, type BenchContext } from './benchmark.ts';
import { mustRun, startProgram, untilReady } from './running-program.ts';

export interface NetworkNamespace {
  /** The namespace's file below /proc, for nsenter. */
  readonly path: string;
  readonly holderPid: number;
}

/**
 * Creates a namespace whose only network interface, `lo`, is up and also has `addresses`.
 *
 * @throws CannotRun when not root.
 */
export async function createNetwork(
  context: BenchContext,
  addresses: readonly string[] = [],
): Promise<NetworkNamespace> {
  if (process.getuid?.() !== 0) throw new CannotRun('network namespaces need root: run with sudo');
  const holder = startProgram(context, { command: ['unshare', '--net', 'sleep', 'infinity'] });
  const path = `/proc/${holder.pid}/ns/net`;
  const own = readlinkSync('/proc/self/ns/net');
  await untilReady(holder, () => readlinkSync(path) !== own, 2);
  const network = { path, holderPid: holder.pid };
  await ip(context, network, 'link', 'set', 'lo', 'up');
  for (const address of addresses) await ip(context, network, 'address', 'add', `${address}/32`, 'dev', 'lo');
  return network;
}

export interface Link {
  readonly server: NetworkNamespace;
  readonly client: NetworkNamespace;
  readonly serverAddress: string;
  readonly clientAddress: string;
  /** The server's end of the cable. */
  readonly serverInterface: string;
}

/** Creates two namespaces and a virtual cable between them, in 10.199.0.0/16. */
export async function createLink(context: BenchContext): Promise<Link> {
  const [server, client] = [await createNetwork(context), await createNetwork(context)];
  const [serverAddress, clientAddress, serverInterface] = ['10.199.0.1', '10.199.0.2', 'veth-server'];
  const peer = ['peer', 'name', 'veth-client', 'netns', String(client.holderPid)];
  await ip(context, server, 'link', 'add', serverInterface, 'type', 'veth', ...peer);
  for (const [network, name, address] of [
    [server, serverInterface, serverAddress],
    [client, 'veth-client', clientAddress],
  ] as const) {
    await ip(context, network, 'address', 'add', `${address}/16`, 'dev', name);
    await ip(context, network, 'link', 'set', name, 'up');
  }
  return { server, client, serverAddress, clientAddress, serverInterface };
}

/** Runs `ip` in a namespace. */
export async function ip(
  context: BenchContext,
  network: NetworkNamespace,
  ...args: readonly string[]
): Promise<void> {
  await mustRun(context, { command: ['ip', ...args], network });
}
