/** The few calls of the Kubernetes-shaped API that benchmarks make. */

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
}

const PLURALS: Readonly<Record<string, string>> = {
  Hardware: 'hardware',
  Template: 'templates',
  Workflow: 'workflows',
};

/** Durable when it resolves. @throws Error with the server's message when it refuses. */
export async function createObject(url: string, object: ApiObject): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const response = await fetch(
    `${url}/apis/${apiVersion}/namespaces/${metadata.namespace}/${PLURALS[kind]}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    },
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`the server refuses ${kind} ${metadata.name}: ${text}`);
}

/** Creates `count` objects, with `concurrency` calls at a time. Returns objects per second. */
export async function createMany(
  url: string,
  { count, concurrency }: { readonly count: number; readonly concurrency: number },
  objectOf: (index: number) => ApiObject,
): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await createObject(url, objectOf(index));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, create));
  return (count * 1000) / (performance.now() - startedMs);
}
