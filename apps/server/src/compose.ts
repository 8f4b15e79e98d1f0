/**
 * The product on one page: the platform, the store, the services that the settings ask for, and the port that their
 * routes share. Everything starts together, and everything stops at the first failure or signal.
 */
import { delay, type HttpServer, type Log, type Service } from '@tinkerbell/platform-contract';
import {
  createNodeAddressProbe,
  createNodeHttp,
  createNodeHttpClient,
  nodeClock,
  nodeFiles,
  nodeRandom,
  nodeLinkLayer,
  nodeRouterDiscovery,
  nodeUdp,
  openNodeDirectory,
  nodeUdp6,
} from '@tinkerbell/platform-node';
import { createProcessMetrics } from '@tinkerbell/platform-telemetry';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import { createApiService } from '@tinkerbell/service-api';
import { createBootService } from '@tinkerbell/service-boot';
import { createControllerService, createEventsService } from '@tinkerbell/service-controller';
import { createImagesService } from '@tinkerbell/service-images';
import { createMetadataService } from '@tinkerbell/service-metadata';
import { createRelayService } from '@tinkerbell/service-relay';
import type { Store, View } from '@tinkerbell/store-contract';
import { createAesCipher, createSealedStore } from '@tinkerbell/store-sealed';
import { createStoreView } from '@tinkerbell/store-view';
import { openAccess } from './access/open-access.ts';
import { openAgentIdentity } from './agent-auth-settings.ts';
import { holdDataDirectory } from './data-directory.ts';
import { openHttpPorts } from './http-ports.ts';
import { imageTimeline } from './image-timeline.ts';
import { createLedService } from './led-service.ts';
import { openStores, type Stores } from './open-stores.ts';
import { openTracer } from './open-tracer.ts';
import { createReadiness, serverChecks } from './readiness.ts';
import { createRequestCounts } from './request-counts.ts';
import type { Settings } from './settings.ts';
import { VERSION } from './version.ts';
import { createTimedStore } from './timed-store.ts';

export interface RunningServer {
  readonly http: HttpServer['local'];
  /** Resolves when everything has ended after the signal. */
  stopped(): Promise<void>;
}

/** What services see of this machine. */
const platform = {
  clock: nodeClock,
  random: nodeRandom,
  files: nodeFiles,
  udp: nodeUdp,
  udp6: nodeUdp6,
  linkLayer: nodeLinkLayer,
  routerDiscovery: nodeRouterDiscovery,
  httpClient: createNodeHttpClient(),
  openDirectory: openNodeDirectory,
};

/** Resolves when every service is ready. Rejects, with everything stopped again, when one cannot start. */
export async function startServer(settings: Settings, log: Log, signal: AbortSignal): Promise<RunningServer> {
  const startedMs = nodeClock.monotonicMs();
  const stopping = new AbortController();
  await using cleanup = new AsyncDisposableStack();
  const data = cleanup.use(holdDataDirectory(settings.dataDirectory));
  const stores = await openStores({ ...settings, databasePath: data.databasePath, log }, cleanup);
  const { journal } = stores;
  const timed = createTimedStore(stores.store, nodeClock);
  const store = withSealedSecrets(timed, settings);
  const view = createStoreView({ store, clock: nodeClock, log });
  await view.start(stopping.signal);
  const renderer = createWorkerRenderer(nodeClock, log);
  cleanup.defer(() => renderer.close());

  const access = await whoMayWhat(settings, { ...platform, store, view, log }, stopping.signal);
  const tracer = await openTracer(settings.tracing, { ...platform, log, version: VERSION }, cleanup);
  const deps = {
    store,
    tracer,
    view,
    ...access,
    journal,
    renderer,
    referenceRules: settings.referenceRules,
    log,
    ...platform,
    ...(await poolDeps(settings, stores, cleanup)),
  };
  const services = await servicesFor(settings, deps, stores);
  await startAll(services, stopping, cleanup);

  const uptimeSeconds = () => (nodeClock.monotonicMs() - startedMs) / 1000;
  const readiness = createReadiness(nodeClock, serverChecks({ store, view, services }));
  const measured = {
    requests: createRequestCounts(),
    process: createProcessMetrics(nodeClock),
    others: () => timed.samples(),
  };
  const pages = { ...access, services, readiness, measured, tracing: deps, clock: nodeClock, uptimeSeconds };
  const ports = cleanup.use(await openHttpPorts(settings, { ...pages, http: createNodeHttp(log), log }));

  journal.append({
    source: 'server',
    event: 'started',
    message: 'server is ready',
    details: { address: settings.publicIpv4 },
  });
  const told = aborted(signal);
  const running = cleanup.move();
  return {
    http: ports.main,
    async stopped() {
      await told;
      readiness.shutDown();
      await delay(nodeClock, settings.shutdownDelayMs);
      stopping.abort();
      await running.disposeAsync();
    },
  };
}

/** Those that were started have ended when `cleanup` is done, also when one of them could not be. */
async function startAll(
  services: readonly Service[],
  stopping: AbortController,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const started: Service[] = [];
  cleanup.defer(async () => {
    stopping.abort();
    await Promise.all(started.map((service) => service.stopped()));
  });
  for (const service of services) {
    await service.start(stopping.signal);
    started.push(service);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function withSealedSecrets(store: Store, { secretsKeys }: Settings): Store {
  if (secretsKeys === undefined) return store;
  return createSealedStore({ store, cipher: createAesCipher(secretsKeys) });
}

/** People and programs by tokens and roles, machines by the sessions of their agents. */
async function whoMayWhat(
  settings: Settings,
  deps: Parameters<typeof openAccess>[1] & { readonly view: View },
  signal: AbortSignal,
) {
  const access = await openAccess(settings.access, deps, signal);
  const { hidden } = access;
  return { ...access, ...(await openAgentIdentity(settings.agentAuth, { ...deps, hidden })) };
}

/** What address pools need: the record of leases, and who looks whether an address is free. */
async function poolDeps(settings: Settings, stores: Stores, cleanup: AsyncDisposableStack) {
  if ((settings.boot?.netboot.pools ?? []).length === 0) return {};
  const probe = createNodeAddressProbe();
  cleanup.defer(() => probe.close());
  return { leases: await stores.openLeases(), probe };
}

type Deps = Parameters<typeof createBootService>[0] & Parameters<typeof createApiService>[0];

async function servicesFor(settings: Settings, deps: Deps, stores: Stores): Promise<Service[]> {
  const { images, boot, metadata, workflows } = settings;
  const imageDeps = { ...deps, ...imageTimeline(deps.journal, deps.view) };
  return [
    createApiService(deps),
    ...(boot === undefined ? [] : [createBootService(deps, boot)]),
    ...(images === undefined
      ? []
      : [
          createImagesService(imageDeps, {
            directory: images.imagesDirectory,
            prefix: '/images/',
            privateFolder: 'private/',
          }),
          createImagesService(imageDeps, { directory: images.hookDirectory, prefix: '/hook/' }),
        ]),
    ...(metadata === undefined ? [] : [createMetadataService(deps, metadata)]),
    ...(workflows === undefined ? [] : [await workflowsService(deps, workflows)]),
    ...(settings.relay === undefined ? [] : [createRelayService(deps, settings.relay)]),
    ...(settings.controller ? [controller(deps, stores), events(settings, deps, stores)] : []),
    ...(settings.gateway === undefined ? [] : [await gateway(deps, settings.gateway)]),
  ];
}

/** Of several servers on one store, one runs it. */
function controller(deps: Deps, { isShared }: Stores): Service {
  const create = () => createControllerService(deps);
  return isShared ? createLedService(deps, 'controller', create) : create();
}

/** Where timelines are seen: each server of a cluster has its own. There the cluster itself deletes old Events. */
function events({ store }: Settings, deps: Deps, { isJournalShared }: Stores): Service {
  const create = () => createEventsService(deps, { sweeps: store.kind !== 'kubernetes' });
  return isJournalShared ? createLedService(deps, 'events', create) : create();
}

/** gRPC is loaded only where it is spoken: a server that gives addresses alone does without its memory. */
async function workflowsService(deps: Deps, config: NonNullable<Settings['workflows']>): Promise<Service> {
  const { createWorkflowsService } = await import('@tinkerbell/service-workflows');
  return createWorkflowsService(deps, config);
}

async function gateway(deps: Deps, config: NonNullable<Settings['gateway']>): Promise<Service> {
  const { gatewayService } = await import('./gateway.ts');
  return gatewayService({ ...deps, ...platform }, config);
}
