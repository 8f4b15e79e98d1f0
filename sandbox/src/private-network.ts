/**
 * An isolated network for a rack. This process moves into a new network namespace, which has no route to the
 * host or the world. Sockets that it opens and programs that it starts from now on are there. The namespace
 * is gone when the last of them ends, so a run that was killed leaves nothing behind.
 */

import { runCommand } from '@tinkerbell/hook';

const CLONE_NEWNET = 0x40000000;

export interface PrivateNetwork {
  readonly bridge: string;
  /** The address of this process in it. */
  readonly address: string;
  /** Creates a port for a machine, on the given bridge or the first one, and returns its name. */
  addPort(bridge?: string): Promise<string>;
  /** Creates another bridge. With an address, this process is on it too. */
  addBridge(name: string, address?: string): Promise<void>;
}

let isInside = false;
let bridges = 0;

/**
 * Enters the namespace and creates a bridge with `address` in it. Call it once per process, because it cannot
 * be undone.
 *
 * @throws Error when not root.
 */
export async function enterPrivateNetwork(address: string, prefixLength = 24): Promise<PrivateNetwork> {
  if (isInside) throw new Error('this process has entered its private network already');
  // Loaded when called, because importing it prints a warning for every user of this package.
  const library = process
    .getBuiltinModule('node:ffi')
    .dlopen(null, { unshare: { return: 'i32', arguments: ['i32'] } });
  if (library.functions.unshare(CLONE_NEWNET) !== 0) {
    throw new Error('a private network needs root (CAP_SYS_ADMIN): run with sudo');
  }
  isInside = true;
  const bridge = 'br0';
  await ip('link', 'set', 'lo', 'up');
  await addBridge(bridge, `${address}/${prefixLength}`);
  let ports = 0;
  return {
    bridge,
    address,
    addBridge,
    async addPort(of = bridge) {
      const name = `port${ports}`;
      ports += 1;
      await ip('tuntap', 'add', 'dev', name, 'mode', 'tap');
      await ip('link', 'set', name, 'master', of, 'up');
      return name;
    },
  };
}

/**
 * The first port of each bridge is a veth without use, so that the bridge has a carrier before the first machine starts, and the
 * lowest MAC, which Linux gives to the bridge: each change of it makes the kernel forget every neighbour, permanent ones too
 * (neigh_changeaddr). A bridge with a MAC set by hand has no carrier without machines.
 */
async function addBridge(name: string, address?: string): Promise<void> {
  bridges += 1;
  const mac = `02:00:00:00:00:${bridges.toString(16).padStart(2, '0')}`;
  await ip('link', 'add', name, 'type', 'bridge', 'forward_delay', '0', 'stp_state', '0');
  if (address !== undefined) await ip('address', 'add', address, 'dev', name);
  await ip('link', 'add', `${name}-up`, 'address', mac, 'type', 'veth', 'peer', 'name', `${name}-end`);
  await ip('link', 'set', `${name}-up`, 'master', name, 'up');
  await ip('link', 'set', `${name}-end`, 'up');
  await ip('link', 'set', name, 'up');
}

async function ip(...args: readonly string[]): Promise<void> {
  await runCommand('ip', args);
}
