import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bootedDebian,
  builtPackages,
  cacheDirectory,
  missingForDebian,
  nextVersion,
  startImageContainer,
  type BootedDebian,
} from '@tinkerbell/packaging/testing';
import { CannotRun, rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import type { DhcpWatch } from './dhcp-watch-client.ts';
import { watchDhcp } from './dhcp-watch.ts';
import { hardwareOf, NETWORK } from './machines.ts';
import { median } from './rounds.ts';
import { needProgram } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';

const INSTALL_GOAL_SECONDS = 10;
const READY_GOAL_SECONDS = 1.5;
const SILENCE_GOAL_SECONDS = 2;
const MACHINES = 10_000;
/** Those of a new installation. */
const FIRST_MACHINES = 20;
const SERVER_ADDRESS = '10.199.0.1';
const DATA = 'var/lib/tinkerbell';
/** How long requests continue after a step, so that its last effect is seen. */
const AFTER_MS = 1000;

export const installBenchmark: Benchmark = {
  name: 'install',
  summary: `dpkg -i until the first DHCP answer, the start of the container image, and the silence of an upgrade with ${MACHINES.toLocaleString('en-US')} Hardware`,
  async run(context) {
    const missing = missingForDebian();
    if (missing !== undefined) throw new CannotRun(missing);
    for (const name of ['crun', 'skopeo', 'umoci']) needProgram(name, name);
    const packages = await builtPackages({ outputDirectory: join(context.directory, 'packages') });
    const deb = [...packages].find(([name]) => /^tinkerbell_.*\.deb$/.test(name))?.[1] ?? '';
    const debian = await installedDebian(context, deb);
    const rounds = context.quick ? 1 : 5;
    return [
      ...(await installRows(context, debian, rounds)),
      await containerRow(context, packages.get('tinkerbell_0.1.0_oci.tar') ?? '', rounds),
      ...(await upgradeRows(context, debian, rounds)),
    ];
  },
};

/** A Debian with systemd in a container and both versions of the package, which are not installed. */
async function installedDebian(context: BenchContext, deb: string): Promise<BootedDebian> {
  context.say('booting a Debian in a container');
  const debian = context.scope.use(await bootedDebian(context.directory, cacheDirectory));
  const { server, client } = debian.networks;
  const addresses = [
    [server, `${SERVER_ADDRESS}/16`, 'eth1'],
    [client, `${NETWORK.gateway}/16`, 'eth0'],
  ] as const;
  for (const [network, address, name] of addresses)
    execFileSync('nsenter', [`--net=${network}`, 'ip', 'address', 'add', address, 'dev', name]);
  const root = (name: string): string => join(debian.root, 'root', name);
  copyFileSync(deb, root('tinkerbell.deb'));
  copyFileSync(nextVersion(deb, '0.1.1', context.directory), root('next.deb'));
  const machines = Array.from({ length: FIRST_MACHINES }, (_, index) => JSON.stringify(hardwareOf(index)));
  writeFileSync(root('hardware.yaml'), machines.join('\n---\n'));
  return debian;
}

/** @throws Error with the output when the script fails. */
async function done(debian: BootedDebian, script: string): Promise<void> {
  const { status, text } = await debian.inside(script);
  if (status !== 0) throw new Error(`${script}:\n${text}`);
}

/** Asks for addresses while the step runs. */
async function watched(
  context: BenchContext,
  debian: BootedDebian,
  { machines, step }: { readonly machines: number; readonly step: () => Promise<void> },
): Promise<DhcpWatch> {
  const network = { path: debian.networks.client };
  const report = watchDhcp(context, { network, server: SERVER_ADDRESS, machines });
  await pause();
  await step();
  await pause();
  return report();
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, AFTER_MS));
}

async function installRows(
  context: BenchContext,
  debian: BootedDebian,
  rounds: number,
): Promise<readonly Row[]> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let startedMs = 0;
    const { firstOfferMs } = await watched(context, debian, {
      machines: FIRST_MACHINES,
      async step() {
        startedMs = performance.timeOrigin + performance.now();
        await done(debian, 'dpkg -i /root/tinkerbell.deb && tink apply -f /root/hardware.yaml');
      },
    });
    if (firstOfferMs === undefined) throw new Error('no machine has got an answer after the installation');
    seconds.push((firstOfferMs - startedMs) / 1000);
    await done(debian, 'dpkg -P tinkerbell');
  }
  return [
    rowOf({
      name: 'dpkg -i, tink apply, until the first DHCP answer',
      value: median(seconds),
      unit: 's',
      better: 'lower',
      goal: { value: INSTALL_GOAL_SECONDS },
    }),
  ];
}

async function containerRow(context: BenchContext, archive: string, rounds: number): Promise<Row> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const flags = ['--public-ipv4=127.0.0.1'];
    const request = { directory: context.directory, archive, flags, ownNetwork: true };
    await using container = await startImageContainer(request);
    seconds.push(container.readySeconds);
  }
  return rowOf({
    name: 'start of the container image with crun until ready',
    value: median(seconds),
    unit: 's',
    better: 'lower',
    goal: { value: READY_GOAL_SECONDS },
  });
}

async function upgradeRows(
  context: BenchContext,
  debian: BootedDebian,
  rounds: number,
): Promise<readonly Row[]> {
  await done(debian, 'dpkg -i /root/tinkerbell.deb && systemctl stop tinkerbell');
  context.say(`storing ${MACHINES} Hardware`);
  await storeHardware(join(debian.root, DATA, 'tinkerbell.db'), MACHINES);
  await done(debian, `chown -R tinkerbell: /${DATA} && systemctl start tinkerbell`);
  const silent: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // dpkg accepts an older version as well. What a version compiled before is not there at its first start.
    const name = round % 2 === 0 ? 'next' : 'tinkerbell';
    await done(debian, 'rm -rf /var/cache/tinkerbell/*');
    const { offers, longestSilenceMs } = await watched(context, debian, {
      machines: MACHINES,
      step: () => done(debian, `dpkg -i /root/${name}.deb`),
    });
    if (offers === 0) throw new Error('no machine has got an answer during the upgrade');
    silent.push(longestSilenceMs / 1000);
  }
  return [
    rowOf({
      name: `upgrade with dpkg -i, ${MACHINES} Hardware: longest silence of DHCP`,
      value: median(silent),
      unit: 's',
      better: 'lower',
      goal: { value: SILENCE_GOAL_SECONDS },
    }),
  ];
}
