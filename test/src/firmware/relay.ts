/** Our own DHCP relay, between the two networks of a lab. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningServer } from '@tinkerbell/sandbox';
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

/** As `tink token create NAME --role relay` does. */
export async function relayToken(server: RunningServer, name: string): Promise<string> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await server.request(`${server.url}${path}`, init)).json();
  };
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await post(accounts, { metadata: { name } });
  await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'relay' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
  });
  const made = await post(`${accounts}/${name}/token`, { spec: { expirationSeconds: 3600 } });
  const { status } = made as { readonly status?: { readonly token?: string } };
  return status?.token ?? '';
}
