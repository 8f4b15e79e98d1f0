/** The services of the server in this process: boot, workflows and controller, on a store that outlives them. */
import type { ActionRequest, ActionResponse, ActionStatusRequest } from '@tinkerbell/api/agent';
import type { Rendered, TemplateRenderer } from '@tinkerbell/engine-rendering';
import type { HttpRoute, Log } from '@tinkerbell/platform-contract';
import { createBootService } from '@tinkerbell/service-boot';
import { createControllerService } from '@tinkerbell/service-controller';
import { createInProcessAgents, type InProcessAgents } from '@tinkerbell/service-workflows';
import {
  workflowCollection,
  type Journal,
  type NamespacedName,
  type Store,
} from '@tinkerbell/store-contract';
import { createStoreView } from '@tinkerbell/store-view';
import { renderTemplate, type RenderInput, type WorkflowDefinition } from '@tinkerbell/template';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import { SERVER_ADDRESS } from './addresses.ts';
import { bootConfig } from './boot-config.ts';
import { memoryFiles } from './memory-files.ts';
import type { SimulatedNetwork } from './simulated-network.ts';
import { storeOfRun, type StoreFaults } from './store-of-run.ts';

/** Five blocks of TFTP. */
const BOOT_FILES = new Map([['ipxe.efi', new Uint8Array(6000)]]);

export interface ServerParts {
  readonly clock: SimulatedClock;
  readonly random: SeededRandom;
  readonly network: SimulatedNetwork;
  readonly store: Store;
  readonly faults: StoreFaults;
  /** Called when the server crashed by itself, after a commit. */
  readonly onCrash: () => void;
  readonly onCall: () => void;
}

interface Run {
  /** Absent while the server starts. */
  open?: { readonly agents: InProcessAgents; readonly routes: readonly HttpRoute[]; readonly store: Store };
  readonly cut: () => void;
}

/** The error of a call whose server is down, or went down meanwhile. */
export const serverGone = new Error('the server is down');

export class SimulatedServer {
  readonly #parts: ServerParts;
  #run: Run | undefined;
  #gone = Promise.withResolvers<never>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#gone.promise.catch(() => undefined);
  }

  isRunning(): boolean {
    return this.#run !== undefined;
  }

  async start(): Promise<void> {
    const { clock, random, network, faults, onCall } = this.#parts;
    const stopping = new AbortController();
    const crash = (): void => {
      this.crash();
      this.#parts.onCrash();
    };
    const store = storeOfRun(this.#parts.store, { clock, random, faults, crash, onCall });
    const run: Run = {
      cut() {
        store.cut();
        network.disconnectServer();
        stopping.abort();
        run.open?.agents.close();
      },
    };
    this.#run = run;
    const view = createStoreView({ store, clock, log });
    await view.start(stopping.signal);
    const deps = { store, view, journal, clock, random, log };
    const boot = createBootService(
      { ...deps, udp: network.udp, files: memoryFiles(BOOT_FILES) },
      bootConfig(),
    );
    const agents = createInProcessAgents(deps, {});
    const referenceRules = { deny: [], allow: [] };
    const controller = createControllerService({ ...deps, renderer: directRenderer, referenceRules });
    for (const service of [boot, controller]) await service.start(stopping.signal);
    run.open = { agents, routes: boot.routes, store };
  }

  /** As `kill -9`: whatever it was doing has no effect any more. */
  crash(): void {
    this.#run?.cut();
    this.#run = undefined;
    const gone = this.#gone;
    this.#gone = Promise.withResolvers<never>();
    this.#gone.promise.catch(() => undefined);
    gone.reject(serverGone);
  }

  getAction(request: ActionRequest, signal: AbortSignal): Promise<ActionResponse> {
    return this.#call(({ agents }) => agents.getAction(request, signal));
  }

  reportActionStatus(request: ActionStatusRequest): Promise<void> {
    return this.#call(({ agents }) => agents.reportActionStatus(request));
  }

  /** Returns the text of a script, or undefined for any other answer. */
  script(url: string, address: string): Promise<string | undefined> {
    return this.#call(async ({ routes }) => {
      const { pathname } = new URL(url);
      const route = routes.find(({ prefix }) => pathname.startsWith(prefix));
      const context = {
        peer: { address, port: 1 },
        localAddress: SERVER_ADDRESS,
        signal: new AbortController().signal,
      };
      const response = await route?.handle(new Request(url), context);
      return response?.ok === true ? await response.text() : undefined;
    });
  }

  /** An operator's change of one label: the whole object is read, changed and written. */
  label(workflow: NamespacedName, value: string): Promise<void> {
    return this.#call(async ({ store }) => {
      await workflowCollection.update(store, workflow, (object) => ({
        object: { ...object, metadata: { ...object.metadata, labels: { edited: value } } },
      }));
    });
  }

  async #call<Answer>(call: (open: NonNullable<Run['open']>) => Promise<Answer>): Promise<Answer> {
    const open = this.#run?.open;
    if (open === undefined) throw serverGone;
    return Promise.race([call(open), this.#gone.promise]);
  }
}

/** Renders in this thread, because the templates of a simulation are its own. */
const directRenderer: TemplateRenderer = {
  workflow: (input) => Promise.resolve(rendered(input)),
  check: (input) => Promise.resolve(rendered(input)),
  texts: ({ texts }) => Promise.resolve({ ok: true, value: texts }),
  preview: () => Promise.reject(new Error('previews are not simulated')),
  close: () => Promise.resolve(),
};

function rendered(input: RenderInput): Rendered<WorkflowDefinition> {
  const result = renderTemplate(input);
  if (result.ok) return { ok: true, value: result.workflow };
  return { ok: false, message: result.error.text, error: result.error };
}

const journal: Journal = {
  append: () => undefined,
  read: () => Promise.resolve([]),
  follow: () => () => undefined,
  close: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
