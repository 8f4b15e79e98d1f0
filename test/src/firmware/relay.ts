/** Our own DHCP relay, between the two networks of a lab. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELAY_INTERFACES, type Lab } from './lab.ts';

const main = join(import.meta.dirname, '../../../apps/server/src/main.mjs');

/** The server's API has no TLS there. */
const API_PORT = 7080;

/** The relay reads its token from this file in its folder, again and again. */
export function relayTokenFile(directory: string): string {
  return join(directory, 'relay.token');
}

interface RelayPlace {
  readonly directory: string;
  readonly cleanup: AsyncDisposableStack;
  /** The server may ask the relay to try something, once the relay has a token. */
  readonly hasApi?: boolean;
}

/** Resolves when it forwards requests to the servers. */
export async function startRelay(
  lab: Lab,
  servers: readonly string[],
  { directory, cleanup, hasApi = false }: RelayPlace,
): Promise<void> {
  const { towardsMachines } = RELAY_INTERFACES;
  const services = ['smee', 'tink-server', 'tink-controller', 'images', 'tootles'];
  const file = relayTokenFile(directory);
  if (hasApi) await writeFile(file, 'not known yet');
  const child = await lab.relay?.start(process.execPath, [
    main,
    `--data-dir=${join(directory, 'relay')}`,
    ...services.map((name) => `--enable-${name}=false`),
    '--enable-relay',
    `--relay-interface=${towardsMachines}`,
    `--relay-server=${servers.join(',')}`,
    `--public-ipv4=${lab.machineNetwork}.1`,
    '--log-format=text',
    ...(hasApi ? [`--relay-api-url=http://${servers[0]}:${API_PORT}`, `--relay-token-file=${file}`] : []),
  ]);
  if (child === undefined) return;
  cleanup.defer(() => child.stop());
  let said = '';
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.process.stdout, child.process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-4000);
        if (/\bready\b/.test(said)) resolve();
      });
    }
  });
  const ended = child.ended.then((code) => Promise.reject(new Error(`the relay ended (${code}): ${said}`)));
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
}
