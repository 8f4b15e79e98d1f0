/** Opens the ports in the settings, and follows changes of the route file and of certificates. */
import { messageOf, type Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { readTlsMaterial, type TlsMaterial } from './certificates.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { HttpListener } from './http-listener.ts';
import { createGatewayMetrics, type GatewayMetrics } from './metrics.ts';
import { routesIn } from './routes-in.ts';
import { RequestFlow } from './request-flow.ts';
import type { ForwardSettings, ListenerSettings, RouteFile } from './route-file.ts';
import { RouteTables } from './route-table.ts';
import { openTcpForward, type Forward } from './tcp-forward.ts';
import { openUdpForward } from './udp-forward.ts';

export interface GatewayConfig {
  /** The settings without a file. The file's settings are added to them. */
  readonly fixed: RouteFile;
  readonly routeFile?: string;
}

export interface GatewayService extends Service {
  /** The port of a listener or forward by its name, or 0 when it does not exist. */
  portOf(name: string): number;
  /** Checks the files now. */
  reload(): Promise<void>;
}

const LOOK_MS = 2000;
/** The time for active responses when a port is closed. */
const GRACE_MS = 5000;
/** A listener that a new file omits keeps its connections for this long. */
const DRAIN_MS = 600_000;

export function createGatewayService(deps: GatewayDeps, config: GatewayConfig): GatewayService {
  const set = new MetricSet();
  const gateway = new Gateway(deps, config, createGatewayMetrics(set));
  const ended = Promise.withResolvers<void>();
  return {
    name: 'gateway',
    routes: [],
    metrics: set,
    async start(signal) {
      await gateway.start(signal);
      const stop = () => void gateway.stop().then(ended.resolve, ended.reject);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    stopped: () => ended.promise,
    health: () => ({ ready: true }),
    portOf: (name) => gateway.portOf(name),
    reload: () => gateway.reload(),
  };
}

interface Closable {
  close(graceMs: number): Promise<void>;
}

class Gateway {
  readonly flow: RequestFlow;
  readonly #deps: GatewayDeps;
  readonly #config: GatewayConfig;
  readonly #metrics: GatewayMetrics;
  readonly #tables: RouteTables;
  readonly #listeners = new Map<string, HttpListener>();
  readonly #forwards = new Map<string, Forward>();
  readonly #draining = new Set<Closable>();
  /** Of the route file. It is looked at often and changes rarely. */
  #known: { readonly text: string; readonly file: RouteFile } | undefined;
  #cancelLook = (): void => undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: GatewayDeps, config: GatewayConfig, metrics: GatewayMetrics) {
    this.#deps = deps;
    this.#config = config;
    this.#metrics = metrics;
    this.flow = new RequestFlow(deps, metrics);
    this.#tables = new RouteTables(deps, { metrics, partBytes: this.flow.heldBodies.partBytes });
  }

  async start(signal: AbortSignal): Promise<void> {
    try {
      await this.#apply();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.flow.slowClients.start(signal);
    this.flow.heldBodies.start(this.#deps.clock, signal);
    const look = (): void => {
      void this.reload().then(() => {
        if (!signal.aborted) this.#cancelLook = this.#deps.clock.schedule(LOOK_MS, look);
      });
    };
    this.#cancelLook = this.#deps.clock.schedule(LOOK_MS, look);
  }

  async stop(): Promise<void> {
    this.#cancelLook();
    this.#isStopped = true;
    // It would reopen what is closed here.
    await this.#underWay;
    const all = [...this.#listeners.values(), ...this.#forwards.values()];
    this.#listeners.clear();
    this.#forwards.clear();
    await Promise.all(all.map((one) => one.close(GRACE_MS)));
    // They had a longer grace period, but a process that ends cannot wait.
    await Promise.all([...this.#draining].map((one) => one.close(0)));
    await this.#tables.build({ listeners: [], routes: [], forwards: [], trustedProxies: [] });
    this.#tables.commit();
  }

  portOf(name: string): number {
    return this.#listeners.get(name)?.port ?? this.#forwards.get(name)?.port ?? 0;
  }

  /** Never rejects. An invalid change is logged once, and everything stays as it is. */
  reload(): Promise<void> {
    this.#underWay = this.#underWay
      .then(() => (this.#isStopped ? undefined : this.#apply()))
      .catch((error: unknown) => this.#complain(error));
    return this.#underWay;
  }

  #complaint = '';

  #complain(error: unknown): void {
    const message = messageOf(error);
    if (message === this.#complaint) return;
    this.#complaint = message;
    this.#metrics.reloads.add({ result: 'refused' });
    this.#deps.log.error('the new routes are invalid; the previous ones stay in use', { reason: message });
  }

  /** Everything that can fail comes first, then the change. */
  async #apply(): Promise<void> {
    const file = await this.#file();
    const refused = file.forwards
      .map((one) => this.#deps.refuseForward?.(one))
      .find((one) => one !== undefined);
    if (refused !== undefined) throw new Error(refused);
    const materials = await this.#materials(file.listeners);
    const table = await this.#tables.build(file);
    await this.#listen(file.listeners, materials);
    await this.#forward(file.forwards);
    this.#tables.commit();
    this.flow.use(table);
    this.#complaint = '';
  }

  async #file(): Promise<RouteFile> {
    const { fixed, routeFile } = this.#config;
    if (routeFile === undefined) return fixed;
    const text = await this.#deps.readFile(routeFile);
    const file = this.#known?.text === text ? this.#known.file : routesIn(text, routeFile);
    if (this.#known !== undefined && this.#known.file !== file) {
      this.#metrics.reloads.add({ result: 'used' });
      this.#deps.log.info('the route file has changed', { routes: file.routes.length });
    }
    this.#known = { text, file };
    return {
      listeners: [...fixed.listeners, ...file.listeners],
      routes: [...fixed.routes, ...file.routes],
      forwards: [...fixed.forwards, ...file.forwards],
      trustedProxies: [...fixed.trustedProxies, ...file.trustedProxies],
    };
  }

  async #materials(listeners: readonly ListenerSettings[]): Promise<ReadonlyMap<string, TlsMaterial>> {
    const materials = new Map<string, TlsMaterial>();
    for (const { name, tls } of listeners)
      if (tls !== undefined) materials.set(name, await readTlsMaterial(tls, this.#deps.readFile));
    return materials;
  }

  async #listen(
    wanted: readonly ListenerSettings[],
    materials: ReadonlyMap<string, TlsMaterial>,
  ): Promise<void> {
    for (const [name, listener] of this.#listeners)
      if (!wanted.some((settings) => isSamePort(settings, listener.settings))) {
        this.#listeners.delete(name);
        this.#drain(listener);
      }
    for (const settings of wanted) {
      const material = materials.get(settings.name);
      const known = this.#listeners.get(settings.name);
      if (known !== undefined && material !== undefined) known.renew(material);
      if (known !== undefined) continue;
      const listener = new HttpListener(settings, {
        exchange: (exchange) => void this.flow.answer(exchange, settings.name),
        fault: (reason) => this.#metrics.faults.add({ reason }),
      });
      await listener.open(material);
      this.#listeners.set(settings.name, listener);
    }
  }

  async #forward(wanted: readonly ForwardSettings[]): Promise<void> {
    for (const [name, forward] of this.#forwards)
      if (!wanted.some((settings) => JSON.stringify(settings) === JSON.stringify(forward.settings))) {
        this.#forwards.delete(name);
        this.#drain(forward);
      }
    const { clock } = this.#deps;
    const metrics = this.#metrics;
    for (const settings of wanted) {
      if (this.#forwards.has(settings.name)) continue;
      const open =
        settings.protocol === 'tcp'
          ? openTcpForward(settings, metrics)
          : openUdpForward(settings, { clock, metrics });
      this.#forwards.set(settings.name, await open);
    }
  }

  #drain(one: Closable): void {
    this.#draining.add(one);
    void one.close(DRAIN_MS).finally(() => this.#draining.delete(one));
  }
}

/** Certificates change in place. Any other change reopens the port. */
function isSamePort(left: ListenerSettings, right: ListenerSettings): boolean {
  const key = ({ name, address, port, connectionsMax, tls }: ListenerSettings) =>
    JSON.stringify([name, address, port, connectionsMax, tls === undefined, tls?.clientCaFile]);
  return key(left) === key(right);
}
