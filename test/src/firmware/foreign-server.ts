/** A foreign DHCP server, whose configuration has nothing about booting. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunningChild } from '@tinkerbell/sandbox';

import type { ForeignServer } from './cases.ts';
import { HOST_INTERFACE, type Lab } from './lab.ts';

const FOREIGN = 5;

/** Starts it on the server's segment and returns its address. It assigns addresses on both segments. */
export async function startForeignServer(
  kind: ForeignServer,
  lab: Lab,
  {
    directory,
    cleanup,
    nextServer,
  }: {
    readonly directory: string;
    readonly cleanup: AsyncDisposableStack;
    /** Absent: it announces nothing about booting. */
    readonly nextServer?: string;
  },
): Promise<string> {
  const { host, address } = await lab.addHost(FOREIGN);
  const networks = [...new Set([lab.serverNetwork, lab.machineNetwork])];
  const [command, args] = await starters[kind]({ directory, networks, nextServer });
  const child: RunningChild = await host.start(command, args);
  cleanup.defer(() => child.stop());
  // Neither output may fill its pipe. The output is shown when the program ends too early.
  let said = '';
  for (const stream of [child.process.stdout, child.process.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000);
    });
  }
  await listening(host, child, () => said);
  return address;
}

interface StarterInput {
  readonly directory: string;
  readonly networks: readonly string[];
  readonly nextServer: string | undefined;
}

type Starter = (input: StarterInput) => Promise<readonly [command: string, args: readonly string[]]>;

const starters: Readonly<Record<ForeignServer, Starter>> = {
  async dnsmasq({ directory, networks, nextServer }) {
    const ranges = networks.map((network) => `--dhcp-range=${network}.100,${network}.200,255.255.255.0,1h`);
    const plain = ['--keep-in-foreground', '--conf-file=/dev/null', '--port=0', '--user=root', '--no-ping'];
    const boot = nextServer === undefined ? [] : [`--dhcp-boot=,,${nextServer}`];
    const files = [`--dhcp-leasefile=${join(directory, 'dnsmasq.leases')}`, '--pid-file='];
    return [
      'dnsmasq',
      [...plain, ...files, `--interface=${HOST_INTERFACE}`, '--bind-interfaces', ...ranges, ...boot],
    ];
  },

  async kea({ directory, networks }) {
    const subnet4 = networks.map((network, index) => ({
      id: index + 1,
      subnet: `${network}.0/24`,
      pools: [{ pool: `${network}.100 - ${network}.200` }],
      'option-data': [{ name: 'routers', data: `${network}.1` }],
    }));
    const configuration = {
      Dhcp4: {
        'interfaces-config': { interfaces: [HOST_INTERFACE] },
        'lease-database': { type: 'memfile', persist: false },
        'valid-lifetime': 3600,
        subnet4,
        loggers: [{ name: 'kea-dhcp4', output_options: [{ output: 'stdout' }], severity: 'WARN' }],
      },
    };
    const path = join(directory, 'kea.json');
    await writeFile(path, JSON.stringify(configuration));
    return [
      'env',
      [`KEA_PIDFILE_DIR=${directory}`, `KEA_LOCKFILE_DIR=${directory}`, 'kea-dhcp4', '-c', path],
    ];
  },

  async dhcpd({ directory, networks }) {
    const subnets = networks.map(
      (network) =>
        `subnet ${network}.0 netmask 255.255.255.0 { range ${network}.100 ${network}.200; option routers ${network}.1; }\n`,
    );
    const path = join(directory, 'dhcpd.conf');
    const leases = join(directory, 'dhcpd.leases');
    await writeFile(path, `authoritative;\nping-check false;\ndefault-lease-time 3600;\n${subnets.join('')}`);
    await writeFile(leases, '');
    const quiet = ['-4', '-f', '-q', '-user', 'root', '-group', 'root'];
    return [
      'dhcpd',
      [...quiet, '-cf', path, '-lf', leases, '-pf', join(directory, 'dhcpd.pid'), HOST_INTERFACE],
    ];
  },
};

const ATTEMPTS = 200;

async function listening(
  host: { run(command: string, ...args: readonly string[]): Promise<string> },
  child: RunningChild,
  said: () => string,
): Promise<void> {
  let end: number | string | undefined;
  void child.ended.then((code) => {
    end = code;
  });
  for (let attempt = 1; ; attempt += 1) {
    // dhcpd reads raw frames: its fallback socket has no port 67 bound to an address in every version.
    const sockets = await host.run('ss', '-lnu0');
    if (/:67\b|:bootps\b|p_raw|p_dgr/.test(sockets)) return;
    if (end !== undefined || attempt === ATTEMPTS)
      throw new Error(`the foreign DHCP server does not start (${end ?? 'no port 67'}): ${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
