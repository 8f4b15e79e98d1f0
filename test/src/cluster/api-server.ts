/** The API server with which a server that keeps its objects in a cluster is tested. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Call } from '@tinkerbell/store-kubernetes';

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  /** The kubeconfig of its administrator. */
  readonly kubeconfig: string;
  /** Sends a request as its administrator. */
  call(call: Call): Promise<Answer>;
  /** Sends SIGKILL. What the server has acknowledged is kept. */
  kill(): Promise<void>;
  /** Starts it on the same port. Resolves when it answers. */
  start(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../../..');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Ours are in api/crd, and upstream's among the tests of domain/resources. */
export function definitions(
  whose: 'ours' | 'upstream',
): readonly { readonly name: string; readonly text: string }[] {
  if (whose === 'upstream') {
    const path = join(ROOT, 'domain/resources/src/testdata/upstream-crds.json');
    const byName = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>;
    const head = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    return Object.entries(byName).map(([name, definition]) => ({
      name,
      text: JSON.stringify({ ...head, ...definition }),
    }));
  }
  const folder = join(ROOT, 'api/crd');
  return readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return { name: /^ {2}name: (\S+)$/m.exec(text)?.[1] ?? '', text };
  });
}

/** Works like `kubectl apply --server-side`. Resolves when the kinds are served. */
export async function applyDefinitions(api: ApiServer, whose: 'ours' | 'upstream'): Promise<void> {
  for (const { name, text } of definitions(whose)) {
    const { status, body } = await api.call({
      method: 'PATCH',
      path: `${DEFINITIONS}/${name}?fieldManager=test&force=true`,
      text,
      contentType: 'application/apply-patch+yaml',
    });
    if (status !== 200 && status !== 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  }
  for (const { name } of definitions(whose)) await established(api, name);
}

async function established(api: ApiServer, name: string): Promise<void> {
  const [plural = '', ...group] = name.split('.');
  for (;;) {
    const { status } = await api.call({
      method: 'GET',
      path: `/apis/${group.join('.')}/v1alpha1/${plural}?limit=1`,
    });
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
