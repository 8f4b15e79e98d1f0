/** Our own DHCP relay, between the two networks of a lab. */
import { join } from 'node:path';
import { RELAY_INTERFACES, type Lab } from './lab.ts';

const main = join(import.meta.dirname, '../../../apps/server/src/main.mjs');

/** Resolves when it forwards requests to the servers. */
export async function startRelay(
  lab: Lab,
  servers: readonly string[],
  { directory, cleanup }: { readonly directory: string; readonly cleanup: AsyncDisposableStack },
): Promise<void> {
  const { towardsMachines } = RELAY_INTERFACES;
  const services = ['smee', 'tink-server', 'tink-controller', 'images', 'tootles'];
  const child = await lab.relay?.start(process.execPath, [
    main,
    `--data-dir=${join(directory, 'relay')}`,
    ...services.map((name) => `--enable-${name}=false`),
    '--enable-relay',
    `--relay-interface=${towardsMachines}`,
    `--relay-server=${servers.join(',')}`,
    `--public-ipv4=${lab.machineNetwork}.1`,
    '--log-format=text',
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
