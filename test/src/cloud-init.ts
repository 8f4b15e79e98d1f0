/**
 * Machines with Debian's own cloud-init on their disk, switched on together. Each gets its identity from our
 * metadata, reports the result on its serial port, and phones home.
 */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import { withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  CLOUD_INIT_SERVER,
  createMachine,
  createObject,
  enterPrivateNetwork,
  startServer,
  type ApiObject,
  type Machine,
  type RunningServer,
  type TimelineRecord,
} from '@tinkerbell/sandbox';

const cacheDirectory = join(import.meta.dirname, '../../.cache');
const run = promisify(execFile);

/** Emulation on a busy machine is slow. This limit only ends tests that hang. */
const LIMIT_MS = 20 * 60_000;
const POLL_MS = 250;

export interface Seed {
  readonly name: string;
  readonly mac: string;
  readonly address: string;
  /** The keys of the image's own user. Those of `keeper` are in its user-data. */
  readonly sshKey: string;
  readonly keeperKey: string;
  /** The data source that the machine uses in addition to the image. */
  readonly serialNumber?: string;
}

export interface Report {
  /** What the machine reported, by the first word of each line. */
  readonly seen: ReadonlyMap<string, string>;
  readonly timeline: readonly TimelineRecord[];
}

export interface BootResult {
  readonly reports: readonly Report[];
  /** The server's metrics, by counter with its labels. */
  readonly counters: ReadonlyMap<string, number>;
}

/** Resolves when all have phoned home. Rejects with the end of a console when one does not. */
export async function bootWithCloudInit(seeds: readonly Seed[]): Promise<BootResult> {
  await using cleanup = new AsyncDisposableStack();
  const image = await withCacheLock(cacheDirectory, () =>
    buildDebianImage({ cacheDirectory, variant: 'cloud-init' }),
  );
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'cloud-init-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const disk = join(directory, 'disk');
  await pipeline(createReadStream(image.path), createZstdDecompress(), createWriteStream(disk));
  const network = await enterPrivateNetwork(CLOUD_INIT_SERVER.address);
  const server = await startServer({
    dataDirectory: join(directory, 'data'),
    imagesDirectory: join(directory, 'none'),
    hookDirectory: join(directory, 'none'),
    ipxeDirectory: join(directory, 'none'),
    networkInterface: network.bridge,
    address: network.address,
  });
  cleanup.defer(() => server.stop());
  const boots = seeds.map(async (seed): Promise<Report> => {
    const hardware = hardwareOf(seed);
    await createObject(server, hardware);
    const machine = await createMachine({
      ...seed,
      firmware: 'bios',
      directory,
      port: await network.addPort(),
    });
    await run('cp', ['--sparse=always', disk, machine.diskPath]);
    cleanup.defer(() => machine.powerOff());
    const seen = whatIsSeen(machine);
    await machine.powerOn();
    return { seen, timeline: await readyTimeline(server, machine, hardware) };
  });
  const reports = await Promise.all(boots);
  return { reports, counters: await countersOf(server) };
}

/** May not netboot, so its firmware continues with the disk. */
function hardwareOf({ name, mac, address, sshKey, keeperKey }: Seed): ApiObject {
  const ip = { address, netmask: '255.255.255.0', gateway: CLOUD_INIT_SERVER.address };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default' },
    spec: {
      interfaces: [{ dhcp: { mac, lease_time: 3600, ip }, netboot: { allowPXE: false } }],
      metadata: { instance: { id: `id-of-${name}`, hostname: name, ssh_keys: [sshKey] } },
      userData: userDataWith(keeperKey),
    },
  };
}

const TELLINGS: Readonly<Record<string, string>> = {
  hostname: 'hostname',
  keeper: 'id -un keeper; id -Gn keeper',
  'keeper-keys': 'cat ~keeper/.ssh/authorized_keys',
  'default-keys': 'cat ~debian/.ssh/authorized_keys',
  addresses: 'ip -4 -o address show scope global',
  route: 'ip -4 route show default',
  source: 'cat /var/lib/cloud/instance/datasource',
  instance: 'cat /var/lib/cloud/data/instance-id',
  errors: `python3 -c 'import json; v = json.load(open("/run/cloud-init/status.json"))["v1"]; print([v[s]["errors"] for s in ("init-local", "init", "modules-config")])'`,
  'network-files': 'cat /etc/systemd/network/*cloud-init*',
};

function userDataWith(keeperKey: string): string {
  const lines = Object.entries(TELLINGS).map(
    ([word, command]) => `    echo "seen ${word}" $(${command}) >/dev/ttyS0\n`,
  );
  return `#cloud-config
users:
  - default
  - name: keeper
    groups: [adm]
    ssh_authorized_keys: ["${keeperKey}"]
runcmd:
  - |
${lines.join('')}phone_home:
  url: ${CLOUD_INIT_SERVER.url}/phone-home
  tries: 3
`;
}

function whatIsSeen(machine: Machine): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  machine.serial.onLine((line) => {
    const [, word, text] = /\bseen ([a-z-]+) ?(.*)$/.exec(line) ?? [];
    if (word !== undefined) seen.set(word, text ?? '');
  });
  return seen;
}

async function readyTimeline(
  server: RunningServer,
  machine: Machine,
  hardware: ApiObject,
): Promise<readonly TimelineRecord[]> {
  let failure: string | undefined;
  void machine.failed.then((reason) => {
    failure = reason;
  });
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const timeline = await timelineOf(server, hardware);
    if (timeline.some(({ event }) => event === 'machine-ready')) return timeline;
    if (performance.now() > deadline) failure = `has not phoned home in ${LIMIT_MS / 60_000} minutes`;
    if (failure !== undefined)
      throw new Error(`${machine.name} ${failure}\n${machine.serial.tail(60).join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function timelineOf(server: RunningServer, hardware: ApiObject): Promise<readonly TimelineRecord[]> {
  const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/${hardware.metadata.name}/timeline`;
  const text = await (await server.request(`${server.url}${path}`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TimelineRecord]));
}

async function countersOf(server: RunningServer): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return new Map(
    text.split('\n').flatMap((line) => {
      const at = line.lastIndexOf(' ');
      return at < 0 ? [] : [[line.slice(0, at), Number(line.slice(at + 1))] as const];
    }),
  );
}
