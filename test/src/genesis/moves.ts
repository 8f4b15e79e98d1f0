/** The stack's two places, and its way between them. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import { startServer, type RunningServer } from '@tinkerbell/sandbox';
import { localAuthorization } from '@tinkerbell/sandbox/local-authorization';
import { dhcpSilence } from './dhcp-silence.ts';
import type { GuestShell } from '../guest-shell.ts';
import { answers, homeAt, type Home } from './home.ts';
import type { Place } from './place.ts';
import {
  IMAGES_PORT,
  PLATFORM_ADDRESS,
  PLATFORM_SETTINGS,
  ROUTER_ADDRESS,
  SEED_ADDRESS,
  STACK_ADDRESS,
} from './plan.ts';

const READY_LIMIT_MS = 120_000;
const URL = `http://${STACK_ADDRESS}:7080`;

export interface Seed {
  readonly server: RunningServer;
  readonly home: Home;
}

/** Gives the seed machine the stack's address, and starts an empty stack there. */
export async function startSeed(place: Place, dataDirectory: string): Promise<Seed> {
  const { network, hookDirectory, ipxeDirectory, imagesDirectory } = place;
  await runCommand('ip', ['address', 'add', `${STACK_ADDRESS}/24`, 'dev', network.bridge]);
  const server = await startServer({
    dataDirectory,
    imagesDirectory,
    hookDirectory,
    ipxeDirectory,
    networkInterface: network.bridge,
    address: STACK_ADDRESS,
    // The machine has two addresses, and firmware drops blocks that come from the other one.
    flags: [`--tftp-server-bind-addr=${STACK_ADDRESS}`],
  });
  const token = localAuthorization(dataDirectory).authorization.replace('Bearer ', '');
  return { server, home: homeAt(server.url, token) };
}

interface Move {
  readonly router: GuestShell;
  readonly platform: GuestShell;
  /** The MAC of a machine that is off. Under it a client asks for an address meanwhile. */
  readonly asks: string;
}

export interface Moved {
  readonly home: Home;
  /** What `tink migrate` printed. */
  readonly summary: readonly string[];
  /** From the stop of the one server until the other assigned an address. */
  readonly silentSeconds: number;
}

/**
 * Stops the seed's server, migrates its store into one on the platform machine, and starts the server there. The stack's address is
 * routed to it.
 */
export async function moveToPlatform(
  place: Place,
  { server }: Seed,
  { router, platform, asks }: Move,
): Promise<Moved> {
  await server.stop();
  const silence = dhcpSilence(place.provisioningBridge, asks);
  silence.catch(() => undefined);
  const url = await packed(place, server.dataDirectory);
  await runCommand('ip', ['address', 'del', `${STACK_ADDRESS}/24`, 'dev', place.network.bridge]);
  await runCommand('ip', ['route', 'add', STACK_ADDRESS, 'via', ROUTER_ADDRESS]);
  await router.run(
    `echo "set protocols static route ${STACK_ADDRESS}/32 next-hop ${PLATFORM_ADDRESS}" | vyos-commands`,
  );
  await platform.run(`mkdir -m 700 /root/seed && busybox wget -q -O - ${url} | tar -x -C /root/seed`);
  await rm(join(place.imagesDirectory, url.slice(url.lastIndexOf('/') + 1)));
  const summary = await platform.run(
    'tink migrate --from sqlite:/root/seed/data --to sqlite:/var/lib/tinkerbell',
  );
  await platform.run('chown -R tinkerbell:tinkerbell /var/lib/tinkerbell');
  await platform.run('mv /root/seed/tinkerbell.yaml /etc/tinkerbell/tinkerbell.yaml && rm -r /root/seed');
  await platform.run(`ip address add ${STACK_ADDRESS}/32 dev lo`);
  await platform.run('touch /etc/tinkerbell/configured');
  await platform.run('systemctl start tinkerbell || { journalctl -u tinkerbell | tail -n 20; false; }');
  await answers(URL, READY_LIMIT_MS);
  const said = await platform.run('echo "token=$(cat /var/lib/tinkerbell/local/token)"');
  const token = /^token=(\S+)$/m.exec(said.join('\n'))?.[1];
  if (token === undefined) throw new Error(`the platform has no token:\n${said.join('\n')}`);
  const counts = summary.filter((line) => !line.startsWith('copying '));
  return { home: homeAt(URL, token), summary: counts, silentSeconds: await silence };
}

/** The image server sends it once, under a name that nobody guesses. */
async function packed({ directory, imagesDirectory }: Place, dataDirectory: string): Promise<string> {
  const work = join(directory, `move-${randomBytes(4).toString('hex')}`);
  await mkdir(work);
  await runCommand('cp', ['-a', dataDirectory, join(work, 'data')]);
  await writeFile(join(work, 'tinkerbell.yaml'), PLATFORM_SETTINGS);
  const name = `${randomBytes(16).toString('hex')}.tar`;
  await runCommand('tar', [
    '--create',
    '--file',
    join(imagesDirectory, name),
    '--directory',
    work,
    'data',
    'tinkerbell.yaml',
  ]);
  await rm(work, { recursive: true });
  return `http://${SEED_ADDRESS}:${IMAGES_PORT}/images/${name}`;
}

/** Routes the stack's address to the seed machine again. */
export async function giveBackAddress(router: GuestShell): Promise<void> {
  await router.run(`echo "delete protocols static route ${STACK_ADDRESS}/32" | vyos-commands`);
  await runCommand('ip', ['route', 'del', STACK_ADDRESS]);
}
