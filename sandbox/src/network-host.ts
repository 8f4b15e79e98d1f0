/**
 * A computer of the virtual network besides the machines: a separate network namespace, connected to bridges.
 * It lives as long as the process that holds the namespace, so a run that was killed leaves nothing behind.
 */
import { readlink } from 'node:fs/promises';

import { runCommand } from '@tinkerbell/hook';

import { startChild, type RunningChild } from './child-process.ts';

export interface Leg {
  /** Its network interface on the host, with at most 15 characters. */
  readonly name: string;
  readonly bridge: string;
  /** `192.0.2.1/24`. Absent: no address. */
  readonly address?: string;
}

export interface NetworkHost {
  /** Runs a program there to its end and returns its output. */
  run(command: string, ...args: readonly string[]): Promise<string>;
  /** Starts a program there. It ends with this process at the latest. */
  readonly start: (command: string, args: readonly string[]) => Promise<RunningChild>;
  /** The beginning of a command line that runs there. */
  readonly prefix: readonly string[];
  stop(): Promise<void>;
}

const NAMESPACE_ATTEMPTS = 500;

/** Creates the host, with its interfaces up and routing between them. */
export async function createNetworkHost(legs: readonly Leg[]): Promise<NetworkHost> {
  const own = await readlink('/proc/self/ns/net');
  const holder = await startChild('unshare', ['--net', 'sleep', 'infinity']);
  const path = `/proc/${holder.pid}/ns/net`;
  for (let attempt = 1; (await readlink(path)) === own; attempt += 1) {
    if (attempt === NAMESPACE_ATTEMPTS) throw new Error('cannot create a network namespace: run with sudo');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const prefix = ['nsenter', `--net=${path}`, '--'];
  const run = (command: string, ...args: readonly string[]): Promise<string> =>
    runCommand('nsenter', [`--net=${path}`, '--', command, ...args]);
  await run('ip', 'link', 'set', 'lo', 'up');
  for (const { name, bridge, address } of legs) {
    // A name that no other interface of this namespace has, because it contains the process id of the holder.
    const outer = `${name.slice(0, 4)}${holder.pid}`;
    const peer = ['peer', 'name', name, 'netns', String(holder.pid)];
    await runCommand('ip', ['link', 'add', outer, 'type', 'veth', ...peer]);
    await runCommand('ip', ['link', 'set', outer, 'master', bridge, 'up']);
    if (address !== undefined) await run('ip', 'address', 'add', address, 'dev', name);
    await run('ip', 'link', 'set', name, 'up');
  }
  if (legs.length > 1) await run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  return {
    run,
    start: (command, args) => startChild('nsenter', [`--net=${path}`, '--', command, ...args]),
    prefix,
    stop: () => holder.stop(),
  };
}
