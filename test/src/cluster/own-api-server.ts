/** Our own server as the API server of a cluster: on one file, killed and started again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessFrom, ClusterClient } from '@tinkerbell/store-kubernetes';
import { newPlace, startWell, urlOf } from '../crash/faulty-server.ts';
import type { ApiServer } from './api-server.ts';

export async function startOwnApiServer(): Promise<ApiServer> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tinkerbell-own-api-'));
  const flags = ['--enable-tink-controller=false', '--enable-tink-server=false'];
  const place = { ...(await newPlace(dataDirectory)), flags };
  const url = urlOf(place);
  const kubeconfig = join(dataDirectory, 'test.kubeconfig');
  const clusters = [{ name: 'test', cluster: { server: url } }];
  const contexts = [{ name: 'test', context: { cluster: 'test', user: '' } }];
  writeFileSync(kubeconfig, JSON.stringify({ 'current-context': 'test', contexts, clusters }));
  const client = new ClusterClient(accessFrom(kubeconfig, {}));
  let server = await startWell(place);
  return {
    url,
    kubeconfig,
    call: (call) => client.call(call),
    kill: async () => server[Symbol.asyncDispose](),
    async start() {
      server = await startWell(place);
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await server[Symbol.asyncDispose]();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
