/**
 * The product on one page: the platform, the store, the services that the settings enable, and the port that their routes
 * share. Everything starts together and stops at the first failure or signal.
 */
import { aborted, delay, type HttpServer, type Log, type Service } from '@tinkerbell/platform-contract';
import {
  createNodeAddressProbe,
  createNodeHttp,
  createNodeHttpClient,
  nodeClock,
  nodeFiles,
  nodeHmac,
  nodeRandom,
  nodeLinkLayer,
  nodeRouterDiscovery,
  nodeUdp,
  openNodeDirectory,
  openNodeTree,
  nodeUdp6,
  tryNetwork,
} from '@tinkerbell/platform-node';
import { createWorkerTexts } from '@tinkerbell/platform-node/texts';
import { createProcessMetrics } from '@tinkerbell/platform-telemetry';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import { createApiService } from '@tinkerbell/service-api';
import { Verdicts } from '@tinkerbell/diagnosis';
import type { BmcConnections } from '@tinkerbell/engine-bmc';
import { UnknownMachines } from '@tinkerbell/enrollment';
import { createBootService } from '@tinkerbell/service-boot';
import { createControllerService, createEventsService } from '@tinkerbell/service-controller';
import {
  createDoctorReporter,
  createDoctorService,
  type Doctor,
  type DoctorDeps,
} from '@tinkerbell/service-doctor';
import { createImagesService } from '@tinkerbell/service-images';
import { createMetadataService } from '@tinkerbell/service-metadata';
import { createRegistryService, type RegistryDeps } from '@tinkerbell/service-registry';
import { createRelayService, type RelayDeps } from '@tinkerbell/service-relay';
import type { WorkflowsService } from '@tinkerbell/service-workflows';
import type { Journal, Store, View } from '@tinkerbell/store-contract';
import { createAesCipher, createSealedStore } from '@tinkerbell/store-sealed';
import { createStoreView } from '@tinkerbell/store-view';
import { openAccess } from './access/open-access.ts';
import { openConsole } from './console/open-console.ts';
import { startDhcpThread } from './dhcp/start-dhcp-thread.ts';
import { openAgentIdentity } from './settings/agent-auth-settings.ts';
import { holdDataDirectory } from './stores/data-directory.ts';
import { openLocalCredential } from './local/local-credential.ts';
import { openHttpPorts } from './http/http-ports.ts';
import { imageTimeline } from './image-timeline.ts';
import { createLedService } from './led-service.ts';
import type { Logs } from './settings/log-levels.ts';
import { openStores, type Stores } from './stores/open-stores.ts';
import { openTracer } from './metrics/open-tracer.ts';
import { createReadiness, serverChecks } from './http/readiness.ts';
import { createRequestCounts } from './metrics/request-counts.ts';
import type { Settings } from './settings/settings.ts';
import { VERSION } from './version.ts';
import { startHistory } from './metrics/start-history.ts';
import { createTimedStore } from './metrics/timed-store.ts';

export interface RunningServer {
  readonly http: HttpServer['local'];
  /** The file that commands on this machine use to reach the API. */
  readonly kubeconfig: string;
  /** Returns the fragment of the web console's URL that signs in once. Undefined if the console is disabled. */
  readonly newConsoleLink: () => string | undefined;
  /** Returns the failed checks of `/readyz`. */
  readonly failures: () => Promise<readonly string[]>;
  /** Resolves when everything has ended after the signal. */
  stopped(): Promise<void>;
}

/** The platform that services use. */
const platform = {
  clock: nodeClock,
  random: nodeRandom,
  files: nodeFiles,
  udp: nodeUdp,
  udp6: nodeUdp6,
  linkLayer: nodeLinkLayer,
  routerDiscovery: nodeRouterDiscovery,
  httpClient: createNodeHttpClient(),
  hmac: nodeHmac,
  openDirectory: openNodeDirectory,
  openTree: openNodeTree,
};

/** Resolves when every service is ready. If one cannot start, stops the others and rejects. */
export async function startServer(
  settings: Settings,
  logs: Logs,
  signal: AbortSignal,
): Promise<RunningServer> {
  const [startedMs, log] = [nodeClock.monotonicMs(), logs.server];
  const stopping = new AbortController();
  await using cleanup = new AsyncDisposableStack();
  const data = cleanup.use(holdDataDirectory(settings.dataDirectory));
  const stores = await openStores({ ...settings, databasePath: data.databasePath, log, signal }, cleanup);
  const { journal } = stores;
  const timed = createTimedStore(stores.store, nodeClock);
  const store = withSealedSecrets(timed, settings);
  const view = createStoreView({ store, clock: nodeClock, log });
  await view.start(stopping.signal);
  const threads = readyThreads(log, cleanup);
  const who = { ...platform, store, view, log };
  const { credential, sessionSecret, ...access } = await whoMayWhat(settings, who, stopping.signal);
  const tracer = await openTracer(settings.tracing, { ...platform, log, version: VERSION }, cleanup);
  const deps = {
    store,
    tracer,
    view,
    ...access,
    journal,
    ...threads,
    referenceRules: settings.referenceRules,
    logs,
    unknownMachines: new UnknownMachines(),
    log,
    ...platform,
    ...checkDeps(settings, { store }, cleanup),
    ...(await poolDeps(settings, stores)),
  };
  const others = await servicesFor(settings, deps, stores);
  const consoleDeps = { ...deps, credential, sessionSecret, services: others };
  const { services, sessions, newConsoleLink } = openConsole(settings, consoleDeps, cleanup);
  await startAll(services, stopping, cleanup);
  const uptimeSeconds = (): number => (nodeClock.monotonicMs() - startedMs) / 1000;
  const readiness = createReadiness(nodeClock, serverChecks({ ...stores, store, view, services }));
  const measured = measuredWith([timed, stores.cluster]);
  const history = startHistory(nodeClock, { ...measured, services }, stopping.signal);
  const front = { services, sessions, readiness, measured, history, tracing: deps };
  const pages = { ...access, ...front, clock: nodeClock, uptimeSeconds };
  const http = createNodeHttp(log);
  const ports = cleanup.use(await openHttpPorts(settings, { ...pages, credential, http, log }));

  recordStart(journal, settings);
  const stopRequested = aborted(signal);
  const running = cleanup.move();
  const stopped = async (): Promise<void> => {
    await stopRequested;
    readiness.shutDown();
    await delay(nodeClock, settings.shutdownDelayMs);
    stopping.abort();
    await running.disposeAsync();
  };
  const { failures } = readiness;
  return { http: ports.main, kubeconfig: ports.kubeconfig, newConsoleLink, failures, stopped };
}

function measuredWith(others: readonly (Pick<ReturnType<typeof createTimedStore>, 'metrics'> | undefined)[]) {
  return {
    requests: createRequestCounts(),
    process: createProcessMetrics(nodeClock),
    others: others.flatMap((one) => one?.metrics ?? []),
  };
}

function recordStart(journal: Journal, { publicIpv4: address }: Settings): void {
  const message = 'server is ready';
  journal.append({ source: 'server', event: 'started', message, details: { address } });
}

/** `cleanup` stops all started services, also after a failed start. */
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

function withSealedSecrets(store: Store, { secretsKeys }: Settings): Store {
  if (secretsKeys === undefined) return store;
  return createSealedStore({ store, cipher: createAesCipher(secretsKeys) });
}

/** Authenticates users and programs by tokens and roles, and machines by the sessions of their agents. */
async function whoMayWhat(
  settings: Settings,
  deps: Omit<Parameters<typeof openAccess>[1], 'acceptsLocal'> & { readonly view: View },
  signal: AbortSignal,
) {
  const { random, clock } = deps;
  const credential = openLocalCredential(settings.dataDirectory, { random, nowMs: clock.nowMs() });
  const access = await openAccess(settings.access, { ...deps, acceptsLocal: credential.accepts }, signal);
  const { hidden } = access;
  return { credential, ...access, ...(await openAgentIdentity(settings.agentAuth, { ...deps, hidden })) };
}

/** Threads for rendering and for long request texts. They start with their first work. */
function readyThreads(log: Log, cleanup: AsyncDisposableStack) {
  const renderer = createWorkerRenderer(nodeClock, log);
  const texts = createWorkerTexts(nodeClock);
  cleanup.defer(() => renderer.close());
  cleanup.defer(() => texts.close());
  return { renderer, texts };
}

/** The lease record of address pools. */
async function poolDeps(settings: Settings, stores: Stores) {
  if ((settings.boot?.netboot.pools ?? []).length === 0) return {};
  return { leases: await stores.openLeases() };
}

/** A probe for addresses in use, and a reader of BMCs that loads their protocols only if needed. */
function checkDeps(
  { bmcConnections }: Settings,
  deps: { readonly store: Store },
  cleanup: AsyncDisposableStack,
): Pick<DoctorDeps, 'probe' | 'readBmc'> {
  const probe = createNodeAddressProbe();
  cleanup.defer(() => probe.close());
  let opened: Promise<BmcConnections> | undefined;
  cleanup.defer(async () => (await opened)?.close());
  return {
    probe,
    async readBmc(machine) {
      const { readBmc } = await import('./bmc/read-bmc.ts');
      return readBmc(await (opened ??= bmcConnectionsOf({ ...deps, ...platform }, bmcConnections)), machine);
    },
  };
}

/** Loads the protocols of BMCs, which take memory. */
async function bmcConnectionsOf(
  deps: typeof platform & { readonly store: Store },
  settings: Settings['bmcConnections'],
): Promise<BmcConnections> {
  const { openBmcConnections } = await import('./bmc/open-bmc-connections.ts');
  return openBmcConnections(deps, settings);
}

type Deps = Parameters<typeof createBootService>[0] &
  Parameters<typeof createApiService>[0] &
  RegistryDeps &
  DoctorDeps & { readonly logs: Logs };

async function servicesFor(
  settings: Settings,
  given: Omit<Deps, 'verdicts'>,
  stores: Stores,
): Promise<Service[]> {
  const verdicts = new Verdicts();
  const { images, boot, metadata, registry } = settings;
  const workflows = await workflowsService({ ...given, verdicts }, settings);
  const deps = { ...given, verdicts, ...(workflows === undefined ? {} : { agents: workflows.trials }) };
  const { services: doctors, checks } = doctor(settings, deps, stores);
  return [
    createApiService({
      ...deps,
      ...(checks === undefined ? {} : { checks }),
      namespaces: namespacesOf(settings),
      pools: boot?.netboot.pools ?? [],
    }),
    ...(boot === undefined
      ? []
      : [createBootService({ ...deps, startDhcpThread, log: deps.logs.smee }, boot)]),
    ...imageServices(deps, images),
    ...(registry === undefined ? [] : [createRegistryService(deps, registry)]),
    ...(metadata === undefined ? [] : [createMetadataService({ ...deps, log: deps.logs.tootles }, metadata)]),
    ...(workflows === undefined ? [] : [workflows]),
    ...(settings.relay === undefined
      ? []
      : [createRelayService({ ...deps, ...relayDeps(deps), log: deps.logs.smee }, settings.relay)]),
    ...(settings.controller ? [controller(deps, stores), events(settings, deps, stores)] : []),
    ...doctors,
    ...(await bmc(settings, deps, stores)),
    ...(await serial(settings, deps, stores)),
    ...(settings.gateway === undefined ? [] : [await gateway(deps, settings.gateway)]),
  ];
}

function relayDeps({ probe }: Deps): Pick<RelayDeps, 'tryNetwork'> {
  return { tryNetwork: (trial, from) => tryNetwork(trial, probe, from) };
}

function imageServices(deps: Deps, images: Settings['images']): readonly Service[] {
  if (images === undefined) return [];
  const own = { ...deps, ...imageTimeline(deps.journal, deps.view) };
  return [
    createImagesService(own, {
      directory: images.imagesDirectory,
      prefix: '/images/',
      privateFolder: 'private/',
    }),
    createImagesService(own, { directory: images.hookDirectory, prefix: '/hook/' }),
  ];
}

/** Namespaces in the settings that the server writes to. */
function namespacesOf({ workflows }: Settings): readonly string[] {
  if (workflows === undefined) return [];
  const { provisioning, autoDiscovery } = workflows;
  return [provisioning.namespace, ...(autoDiscovery === undefined ? [] : [autoDiscovery.namespace])];
}

/** Runs on one of several servers that share a store. */
function controller(deps: Deps, { isShared }: Stores): Service {
  const create = () => createControllerService({ ...deps, log: deps.logs['tink-controller'] });
  return isShared ? createLedService(deps, 'controller', create) : create();
}

/** Every server checks its machines, and one reports. */
function doctor(
  { doctor: config }: Settings,
  deps: Deps,
  { isShared }: Stores,
): { readonly services: readonly Service[]; readonly checks?: Doctor } {
  if (config === undefined) return { services: [] };
  const service = createDoctorService(deps, config);
  const create = () => createDoctorReporter(deps, config, service);
  const reporter = isShared ? createLedService(deps, 'doctor', create) : create();
  return { services: [service, reporter], checks: service };
}

/**
 * Loads the protocols of BMCs only if needed. One of several servers that share a store controls them, and each receives
 * their events.
 */
async function bmc(
  { bmc: config, bmcConnections }: Settings,
  deps: Deps,
  stores: Stores,
): Promise<Service[]> {
  if (config === undefined) return [];
  const { openBmcConnections } = await import('./bmc/open-bmc-connections.ts');
  const { createBmcEventReceiver, createBmcService } = await import('@tinkerbell/service-bmc');
  const create = () => {
    const connections = openBmcConnections({ ...deps, ...platform }, bmcConnections);
    return createBmcService({ ...deps, connections, log: deps.logs.rufio }, config);
  };
  return [
    stores.isShared ? createLedService(deps, 'bmc', create) : create(),
    ...(config.eventsUrl === undefined ? [] : [createBmcEventReceiver(deps)]),
  ];
}

/** Every server offers the consoles, and one of them records. */
async function serial(
  { serial: config, bmcConnections }: Settings,
  deps: Deps,
  { isShared }: Stores,
): Promise<Service[]> {
  if (config === undefined) return [];
  const { openSerialService } = await import('./serial/open-serial-service.ts');
  const connections = await bmcConnectionsOf({ ...deps, ...platform }, bmcConnections);
  const service = openSerialService({ ...deps, connections, log: deps.logs.secondstar }, config);
  const recorder = isShared
    ? createLedService(deps, 'console-recorder', () => service.recorder())
    : service.recorder();
  return [service, recorder];
}

/** Runs where timelines are written, which each server of a cluster does. There the cluster deletes old Events. */
function events({ store }: Settings, deps: Deps, { isJournalShared }: Stores): Service {
  const create = () => createEventsService(deps, { sweeps: store.kind !== 'kubernetes' });
  return isJournalShared ? createLedService(deps, 'events', create) : create();
}

/** Loads gRPC only if needed, because it takes memory that a server for addresses only does not need. */
async function workflowsService(
  deps: Deps,
  { workflows: config }: Settings,
): Promise<WorkflowsService | undefined> {
  if (config === undefined) return undefined;
  const { createWorkflowsService } = await import('@tinkerbell/service-workflows');
  return createWorkflowsService({ ...deps, log: deps.logs['tink-server'] }, config);
}

async function gateway(deps: Deps, config: NonNullable<Settings['gateway']>): Promise<Service> {
  const { gatewayService } = await import('./gateway/gateway.ts');
  return gatewayService({ ...deps, ...platform }, config);
}
