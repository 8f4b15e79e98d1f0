/** `tinkerbell crds apply`: installs our kinds from api/crd in a cluster. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@tinkerbell/resources';
import { accessFrom, ClusterClient } from '@tinkerbell/store-kubernetes';

const FOLDER = join(import.meta.dirname, '../../../../api/crd');
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Uses server-side apply, so it is safe to repeat. Rejects with a message for the operator. */
export async function applyCrds(kubeconfig: string, say: (line: string) => void): Promise<void> {
  const client = new ClusterClient(accessFrom(kubeconfig, process.env));
  try {
    for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))) {
      await apply(client, readFileSync(join(FOLDER, file), 'utf8'));
      say(file);
    }
  } finally {
    client.close();
  }
}

async function apply(client: ClusterClient, text: string): Promise<void> {
  const name = /^ {2}name: (\S+)$/m.exec(text)?.[1] ?? '';
  const { status, body } = await client.call({
    method: 'PATCH',
    path: `${PATH}/${name}?fieldManager=tinkerbell&force=true`,
    text,
    contentType: 'application/apply-patch+yaml',
  });
  if (status === 200 || status === 201) return;
  const message = isRecord(body) && typeof body['message'] === 'string' ? body['message'] : '';
  throw new Error(`the cluster rejected ${name}: ${status} ${message}`);
}
