/** Serves our own API on its own port, as the API server of a cluster. */
import { createNodeHttp, createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import { createApiService } from '@tinkerbell/service-api';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';

export const log = createNodeLog({ level: 'silent', format: 'json' });

/** `port` uses the same port again after a stop. The objects are new each time unless `store` is given. */
export async function startedApi({
  changesKept = 1000,
  port = 0,
  store = createMemoryStore({ changesKept }),
} = {}) {
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const renderer = createWorkerRenderer(nodeClock, log);
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const referenceRules = { deny: [], allow: [] };
  const deps = { store, view, journal, renderer, referenceRules, clock: nodeClock, random: nodeRandom, log };
  // The namespaces that the contract suite of stores writes to.
  const service = createApiService({ ...deps, namespaces: ['one', 'two'] });
  await service.start(stopping.signal);
  const server = await createNodeHttp(log).listen(
    { port, address: '127.0.0.1' },
    async (request, context) => {
      const { pathname } = new URL(request.url);
      const route = service.routes.find(({ prefix }) => pathname.startsWith(prefix));
      return (await route?.handle(request, context)) ?? new Response('nothing here', { status: 404 });
    },
  );
  return {
    url: `http://127.0.0.1:${server.local.port}`,
    port: server.local.port,
    async stop() {
      stopping.abort();
      await server.close(0);
      await renderer.close();
      await journal.close();
    },
  };
}
