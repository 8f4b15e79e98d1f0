/** The API upon a store in memory; for tests. */
import assert from 'node:assert/strict';
import type { HttpContext } from '@tinkerbell/platform-contract';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import type { ReferenceRules } from '@tinkerbell/template';
import { createApiService } from '../index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
export const base = '/apis/tinkerbell.org/v1alpha1/namespaces/default';

interface Answer {
  readonly code: number;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
  readonly headers: Headers;
}

export async function startedApi(referenceRules: ReferenceRules = { deny: [], allow: [] }) {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const renderer = createWorkerRenderer(nodeClock, log);
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const service = createApiService({ store, view, journal, renderer, referenceRules, clock: nodeClock, random: nodeRandom, log });
  await service.start(stopping.signal);
  let gone = new AbortController();
  const context = (): HttpContext => ({
    peer: { address: '127.0.0.1', port: 1 },
    localAddress: '127.0.0.1',
    signal: AbortSignal.any([stopping.signal, gone.signal]),
  });
  async function raw(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const route = service.routes.find((one) => path.startsWith(one.prefix));
    const response = await route?.handle(request, context());
    assert.ok(response !== undefined, `no route for ${path}`);
    return response;
  }
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const response = await raw(method, path, body, headers);
    return { code: response.status, body: await response.json(), headers: response.headers };
  }
  return {
    call,
    raw,
    /** All clients so far go away. */
    hangUp() {
      gone.abort();
      gone = new AbortController();
    },
    journal,
    store,
    view,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await renderer.close();
      await journal.close();
    },
  };
}
