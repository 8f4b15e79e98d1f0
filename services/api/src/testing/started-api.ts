/** The API upon a store in memory; for tests. */
import assert from 'node:assert/strict';
import type { HttpContext, HttpRequest } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import type { ReferenceRules } from '@tinkerbell/template';
import { ANONYMOUS, MASTERS, type User } from '@tinkerbell/access';
import { createApiService, createPolicyBook, type ApiDeps } from '../index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
export const base = '/apis/tinkerbell.org/v1alpha1/namespaces/default';

/** Nobody in particular, who may do everything. */
export const MASTER: User = { ...ANONYMOUS, groups: [...ANONYMOUS.groups, MASTERS] };

interface Answer {
  readonly code: number;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
  readonly headers: Headers;
}

export async function startedApi(
  referenceRules: ReferenceRules = { deny: [], allow: [] },
  more: Partial<ApiDeps> & { readonly isGuarded?: boolean } = {},
) {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const renderer = createWorkerRenderer(nodeClock, log);
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const book = createPolicyBook({ store, clock: nodeClock, log });
  await book.start(stopping.signal);
  const guard = more.isGuarded === true ? { authorizer: book } : {};
  let user: User = MASTER;
  const service = createApiService({
    store,
    view,
    journal,
    renderer,
    referenceRules,
    clock: nodeClock,
    random: nodeRandom,
    log,
    ...guard,
    ...more,
  });
  await service.start(stopping.signal);
  let gone = new AbortController();
  const context = (): HttpContext => ({
    peer: { address: '127.0.0.1', port: 1 },
    localAddress: '127.0.0.1',
    signal: AbortSignal.any([stopping.signal, gone.signal]),
    user,
  });
  /** As the listener calls it. */
  async function handle(
    request: HttpRequest,
    { signal }: Pick<HttpContext, 'signal'> = request,
  ): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    const route = service.routes.find((one) => path.startsWith(one.prefix));
    const own = { ...context(), signal: AbortSignal.any([context().signal, signal]) };
    const response = await route?.handle(request, own);
    assert.ok(response !== undefined, `no route for ${path}`);
    return response;
  }
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
    return handle(request);
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
    handle,
    counters: () => samplesOf(service.metrics),
    /** As the front of the server does with a caller that it turns away. */
    turnAway(method: string, path: string, code: 401 | 403): void {
      const request = new Request(`http://localhost${path}`, { method });
      const route = service.routes.find((one) => path.startsWith(one.prefix));
      if (route?.access === 'api') route.onRejected?.(request, context(), code);
    },
    /** All clients so far go away. */
    hangUp() {
      gone.abort();
      gone = new AbortController();
    },
    /** Whose requests those that follow are. */
    as(next: User) {
      user = next;
    },
    book,
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
