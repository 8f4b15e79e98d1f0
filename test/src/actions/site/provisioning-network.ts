/**
 * The provisioning network of the building-block document: 10.10.20.0/24 behind a router, which relays DHCP to the server. The
 * machines are untagged in it.
 */
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import { createNetworkHost, type NetworkHost, type RunningChild } from '@tinkerbell/sandbox';
import { serverAddress } from '../../bare-machine.ts';
import { oncePerSite } from '../fixtures/once.ts';
import type { Site } from './open-site.ts';

export const PROVISIONING_GATEWAY = '10.10.20.1';
const NETWORK = '10.10.20.0/24';
const BRIDGE = 'prov0';
const ROUTER = '192.168.56.2';
const UP = 'up0';
const DOWN = 'down0';
const SERVER_MAIN = join(import.meta.dirname, '../../../../apps/server/src/main.mjs');

export type RelayProgram = 'ours' | 'isc-dhcp-relay';

/** Starts a relay on the router, and returns a port of the network for a machine. */
export async function provisioningPort(
  site: Site,
  program: RelayProgram,
  cleanup: AsyncDisposableStack,
): Promise<string> {
  const router = await routerOf(site);
  const relay = await startRelay(router, program, join(site.directory, 'relay'));
  cleanup.defer(() => relay.stop());
  return site.network.addPort(BRIDGE);
}

const routerOf = oncePerSite(async ({ network, cleanup }: Site): Promise<NetworkHost> => {
  await network.addBridge(BRIDGE);
  const router = await createNetworkHost([
    { name: UP, bridge: network.bridge, address: `${ROUTER}/24` },
    { name: DOWN, bridge: BRIDGE, address: `${PROVISIONING_GATEWAY}/24` },
  ]);
  cleanup.defer(() => router.stop());
  await runCommand('ip', ['route', 'add', NETWORK, 'via', ROUTER]);
  return router;
});

async function startRelay(
  router: NetworkHost,
  program: RelayProgram,
  dataDirectory: string,
): Promise<RunningChild> {
  const child =
    program === 'ours'
      ? await router.start(process.execPath, [SERVER_MAIN, ...ownFlags(dataDirectory)])
      : await router.start('dhcrelay', ['-4', '-d', '--no-pid', '-id', DOWN, '-iu', UP, serverAddress]);
  const isReady = program === 'ours' ? /\bready\b/ : /Sending on/;
  let said = '';
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.process.stdout, child.process.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-4000);
        if (isReady.test(said)) resolve();
      });
  });
  const ended = child.ended.then((code) => Promise.reject(new Error(`${program} ended (${code}): ${said}`)));
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
  return child;
}

function ownFlags(dataDirectory: string): readonly string[] {
  const services = ['smee', 'tink-server', 'tink-controller', 'images', 'tootles'];
  return [
    `--data-dir=${dataDirectory}`,
    ...services.map((name) => `--enable-${name}=false`),
    '--enable-relay',
    `--relay-interface=${DOWN}`,
    `--relay-server=${serverAddress}`,
    `--public-ipv4=${PROVISIONING_GATEWAY}`,
    '--log-format=text',
  ];
}
