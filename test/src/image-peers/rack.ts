/** A server with a slow link, and machines that write its disk image, each in a network namespace of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetworkHost, enterPrivateNetwork } from '@tinkerbell/sandbox';
import { addImage, type AddedImage } from '../image-breaks/add-image.ts';
import { IMAGE_BYTES, sha256Of, writeDiskImage } from '../image-breaks/disk-image.ts';
import { SeededChoice } from '../seeded-choice.ts';
import { startServer, type ServerChild } from '../start-server.ts';
import { startImage2disk, type ActionChild } from './action-child.ts';

const NETWORK = '10.252.0';
const SERVER = `${NETWORK}.1`;
/** Of this process, for a peer that is not an agent of ours. */
export const OTHER_ADDRESS = `${NETWORK}.9`;
/** So slow that eight seconds pass, and agents find each other, before an image has arrived once. */
const SHAPED = ['tbf', 'rate', '48mbit', 'burst', '64kb', 'latency', '400ms'];
/** About 70 MB of data, half of it noise. */
const TIMES = 3;
const ANY_BYTES = 0xaa;

export interface Rack {
  readonly server: ServerChild;
  /** As agents see it. */
  readonly url: string;
  readonly image: AddedImage & { readonly sha256: string };
  /** Starts the action on another machine with a used disk, or one more time on the same machine. */
  write(machine: number): ActionChild;
  /** Of the disk of this machine, as far as the image goes. */
  sha256On(machine: number): Promise<string>;
  /** Of the server, so far: 0 when it has counted nothing. */
  metric(name: string): Promise<number>;
}

/** Call it once per process. */
export async function openRack(machines: number, cleanup: AsyncDisposableStack): Promise<Rack> {
  const folder = mkdtempSync(join(tmpdir(), 'image-peers-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { bridge } = await enterPrivateNetwork(SERVER);
  execFileSync('ip', ['address', 'add', `${OTHER_ADDRESS}/24`, 'dev', bridge]);
  execFileSync('tc', ['qdisc', 'add', 'dev', bridge, 'root', ...SHAPED]);
  const flags = ['--bind-address', '0.0.0.0', '--registry-anonymous-pull', '--tootles-legacy-port', '0'];
  const server = await startServer({ flags });
  cleanup.defer(() => server[Symbol.asyncDispose]());
  const raw = join(folder, 'disk.raw');
  writeDiskImage(raw, new SeededChoice(1), { times: TIMES });
  const image = { ...addImage(server, raw), sha256: await sha256Of(raw) };
  const hosts = await Promise.all(
    Array.from({ length: machines }, (_, machine) =>
      createNetworkHost([{ name: 'eth0', bridge, address: `${NETWORK}.${10 + machine}/24` }]),
    ),
  );
  for (const host of hosts) cleanup.defer(() => host.stop());
  const url = `http://${SERVER}:${new URL(server.url).port}${image.path}`;
  const diskOf = (machine: number): string => join(folder, `disk-${machine}`);
  return {
    server,
    url,
    image,
    write(machine) {
      writeFileSync(diskOf(machine), Buffer.alloc(TIMES * IMAGE_BYTES, ANY_BYTES));
      const child = startImage2disk({ url, disk: diskOf(machine), prefix: hosts[machine]?.prefix ?? [] });
      cleanup.defer(() => child.kill());
      return child;
    },
    sha256On: (machine) => sha256Of(diskOf(machine)),
    async metric(name) {
      const text = await (await server.request(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
    },
  };
}
