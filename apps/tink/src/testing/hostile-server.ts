/** A proxy in front of the real server that puts control characters into all answers, for tests. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from './running-server.ts';

/** Title and colour, C1 introducer, bell, backspaces, a line break, bidi override, line separator, DEL. */
export const HOSTILE =
  '\u001b]0;x\u0007\u001b[31m\u009b2J\b\b\rover\nFORGED line\u202Eevil\u2066\u2028\u007f';

/** Fields that stay unchanged, because without them a client fails before it prints. */
const KEPT = new Set([
  'apiVersion',
  'kind',
  'resourceVersion',
  'groupVersion',
  'continue',
  'creationTimestamp',
  'type',
]);

export async function hostileServer(server: RunningServer) {
  const proxy = createServer((incoming, outgoing) => {
    void (async () => {
      const path = incoming.url ?? '';
      const body = await Array.fromAsync(incoming);
      const accept = incoming.headers.accept;
      const contentType = incoming.headers['content-type'];
      const answer = await server.request(server.url + path, {
        method: incoming.method ?? 'GET',
        headers: { ...(accept ? { accept } : {}), ...(contentType ? { 'content-type': contentType } : {}) },
        ...(body.length === 0 ? {} : { body: Buffer.concat(body) }),
      });
      const text = await answer.text();
      const isDiscovery = /^\/(api|apis|apis\/[^/]+\/[^/]+|api\/v1)$/.test(path);
      outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      outgoing.end(isDiscovery ? text : poisoned(text));
    })().catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** Parses JSON as one document or one per line. */
function poisoned(text: string): string {
  try {
    return JSON.stringify(withHostile(JSON.parse(text)));
  } catch {
    const lines = text.split('\n').filter((line) => line !== '');
    try {
      return lines.map((line) => `${JSON.stringify(withHostile(JSON.parse(line)))}\n`).join('');
    } catch {
      return text + HOSTILE;
    }
  }
}

function withHostile(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return KEPT.has(key) || /^\d{4}-\d\d-\d\dT/.test(value) ? value : value + HOSTILE;
  if (Array.isArray(value)) return value.map((one) => withHostile(one, key));
  if (typeof value !== 'object' || value === null) return value;
  const isMap = ['labels', 'annotations', 'data', 'details', 'properties'].includes(key);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [isMap ? name + HOSTILE : name, withHostile(one, name)]),
  );
}
