/** What is wrong with the network or the server of a machine, done with the tools of an operator. */
import { open, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import { HOST_INTERFACE } from '../firmware/lab.ts';
import { accountToken } from '../account-token.ts';
import { relayTokenFile } from '../firmware/relay.ts';
import type { DisturbedSite } from './fault.ts';

const OTHER_SERVER = 5;
/** The processor of both DHCP servers, where the one with a real-time policy runs first. */
const SHARED_PROCESSOR = '0';

/**
 * A second DHCP server, dnsmasq, that iPXE prefers to every other one: the priority in option 175 decides, if its
 * offer comes first. Ours waits for it, because iPXE does not wait for a second offer.
 */
export function otherDhcpServer({ bootFile }: { readonly bootFile?: string }) {
  return async ({ lab, server, directory, cleanup }: DisturbedSite): Promise<void> => {
    await runCommand('taskset', ['--all-tasks', '--cpu-list', '--pid', SHARED_PROCESSOR, `${server.pid}`]);
    const { host } = await lab.addHost(OTHER_SERVER);
    const range = `${lab.serverNetwork}.100,${lab.serverNetwork}.200,255.255.255.0,1h`;
    const child = await host.start('chrt', [
      '--fifo',
      '1',
      'taskset',
      '--cpu-list',
      SHARED_PROCESSOR,
      'dnsmasq',
      '--keep-in-foreground',
      '--conf-file=/dev/null',
      '--port=0',
      '--user=root',
      '--no-ping',
      '--pid-file=',
      `--dhcp-leasefile=${join(directory, 'dnsmasq.leases')}`,
      `--interface=${HOST_INTERFACE}`,
      '--bind-interfaces',
      `--dhcp-range=${range}`,
      '--dhcp-option-force=encap:175,1,1b',
      ...(bootFile === undefined ? [] : [`--dhcp-boot=${bootFile}`]),
    ]);
    cleanup.defer(() => child.stop());
    for (const stream of [child.process.stdout, child.process.stderr]) stream?.resume();
    while (!(await host.run('ss', '-lnu')).includes(':67'))
      await new Promise((resolve) => setTimeout(resolve, 25));
  };
}

/** A host that has the address of the machine already. */
export async function duplicateAddress({ lab, address }: DisturbedSite): Promise<void> {
  await lab.addHost(Number(address.split('.').at(-1)));
}

/** With the header of IP. Firmware asks for blocks that fill an Ethernet frame. */
const LARGE_PACKETS = '1001:';

/** A router on the way drops packets that are larger than its next link carries, and nobody gets its ICMP errors. */
export async function blackHole({ lab }: DisturbedSite): Promise<void> {
  await lab.relay?.run('iptables', '-A', 'FORWARD', '-m', 'length', '--length', LARGE_PACKETS, '-j', 'DROP');
}

/** The host of the relay, which is also the router of the machine, drops requests for files. The relay has an account at the server. */
export async function blockedAtRelay({ lab, server, directory }: DisturbedSite): Promise<void> {
  await lab.relay?.run(
    'iptables',
    '-t',
    'mangle',
    '-A',
    'POSTROUTING',
    '-p',
    'udp',
    '--dport',
    '69',
    '-j',
    'DROP',
  );
  const token = await accountToken(server, { name: 'rack-7', role: 'relay' });
  await writeFile(relayTokenFile(directory), token);
}

/** The port of the machine is in a broadcast domain without a server. */
export async function otherVlan({ port }: DisturbedSite): Promise<void> {
  const bridge = `vlan${port.replace('port', '')}`;
  await runCommand('ip', ['link', 'add', 'name', bridge, 'type', 'bridge']);
  await runCommand('ip', ['link', 'set', bridge, 'up']);
  await runCommand('ip', ['link', 'set', port, 'master', bridge]);
}

/** In hundredths of a second. A port forwards after two of these delays: it listens, and it learns. */
const FORWARD_DELAY = '1500';

/** The switch runs the spanning tree protocol, and the port is not an edge port. */
export async function slowPort({ lab }: DisturbedSite): Promise<void> {
  const bridge = ['link', 'set', lab.machineBridge, 'type', 'bridge'];
  await runCommand('ip', [...bridge, 'stp_state', '1', 'forward_delay', FORWARD_DELAY]);
  // The ports that the bridge has must forward before the machine starts.
  const ports = async (): Promise<string> => runCommand('bridge', ['link', 'show']);
  const isSettling = (text: string): boolean =>
    text
      .split('\n')
      .some((line) => line.includes(` ${lab.machineBridge} `) && /state (listening|learning)/.test(line));
  while (isSettling(await ports())) await new Promise((resolve) => setTimeout(resolve, 500));
}

const BLOCK = Buffer.alloc(64 * 1024, 1);

const WORKFLOW = '/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows/work';

/** Fills the file system of the data folder to the last byte, once the workflow is rendered. */
export async function fullDisk(site: DisturbedSite): Promise<void> {
  await workIsPending(site);
  const { dataDirectory } = site.server;
  const file = await open(join(dataDirectory, 'filler'), 'w');
  try {
    for (let free = Infinity; free > 0; free = (await statfs(dataDirectory)).bavail)
      await file.write(BLOCK).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code !== 'ENOSPC') throw thrown;
      });
  } finally {
    await file.close();
  }
}

/** Nothing is wrong, but the workflow is there before the machine. BIOS firmware is faster than the controller on a busy host. */
export async function workIsPending({ server }: DisturbedSite): Promise<void> {
  for (let state = ''; state !== 'PENDING';) {
    const workflow = (await (await server.request(`${server.url}${WORKFLOW}`)).json()) as {
      readonly status?: { readonly state?: string };
    };
    state = workflow.status?.state ?? '';
  }
}
