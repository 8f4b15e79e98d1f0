/** `/healthz`, `/livez` and `/readyz`, in the words of Kubernetes' own programs, so that its probes and `kubectl get --raw` read them. */
import { delay, WholeResponse, type Clock, type Service } from '@tinkerbell/platform-contract';
import type { Store } from '@tinkerbell/store-contract';
import type { StoreView } from '@tinkerbell/store-view';

export interface Check {
  readonly name: string;
  /** Undefined when all is well, else why not. What it throws is why not. */
  failure(): string | undefined | Promise<string | undefined>;
}

export interface Readiness {
  /**
   * The answer at `/readyz`: 503 with the reasons when something is not ready; of one check at `/readyz/store`. At `/healthz` and
   * `/livez`: the process lives, or nothing would answer. `ping` below each says no more. Undefined for any other path.
   */
  probe(path: string, isVerbose: boolean): Response | Promise<Response> | undefined;
  /** From now on not ready, whatever the checks say. */
  shutDown(): void;
}

/** A probe of Kubernetes waits for one second unless it is told otherwise; what takes longer is told as a reason. */
const CHECK_MS = 900;
/** The view lists again a second after its watch is lost: only what lasts is worth taking the server out of use. */
const BROKEN_VIEW_MS = 10_000;

export function createReadiness(clock: Clock, checks: readonly Check[]): Readiness {
  let isShuttingDown = false;
  const shutdown: Check = {
    name: 'shutdown',
    failure: () => (isShuttingDown ? 'shutting down' : undefined),
  };
  /** Nothing is asked any more of what is being closed. */
  const asked = (): readonly Check[] => (isShuttingDown ? [shutdown] : [...checks, shutdown]);
  async function checked(probe: string, wanted: readonly Check[], isVerbose: boolean): Promise<Response> {
    const found = await Promise.all(
      wanted.map(async (check) => ({ name: check.name, failure: await failureOf(clock, check) })),
    );
    return report(probe, found, isVerbose);
  }
  const alive = (probe: string, isVerbose: boolean): Response =>
    report(probe, [{ name: 'ping', failure: undefined }], isVerbose);
  return {
    probe(path, isVerbose) {
      const [, probe = '', name] = /^\/(healthz|livez|readyz)(?:\/([^/]+))?$/.exec(path) ?? [];
      if (probe === '') return undefined;
      if (name === 'ping' || (name === undefined && probe !== 'readyz')) return alive(probe, isVerbose);
      if (name === undefined) return checked(probe, asked(), isVerbose);
      const one = asked().filter((check) => check.name === name);
      return probe !== 'readyz' || one.length === 0 ? undefined : checked(name, one, isVerbose);
    },
    shutDown() {
      isShuttingDown = true;
    },
  };
}

async function failureOf(clock: Clock, check: Check): Promise<string | undefined> {
  const inTime = new AbortController();
  const late = delay(clock, CHECK_MS, inTime.signal).then(() => `no answer within ${CHECK_MS} ms`);
  try {
    return await Promise.race([Promise.resolve(check.failure()), late]);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    inTime.abort();
  }
}

interface Found {
  readonly name: string;
  readonly failure: string | undefined;
}

function report(probe: string, found: readonly Found[], isVerbose: boolean): Response {
  const isWell = found.every(({ failure }) => failure === undefined);
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  if (isWell && !isVerbose) return new WholeResponse('ok', { headers });
  const lines = found.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${failure.replaceAll(/\s+/g, ' ')}\n`,
  );
  const verdict = `${probe} check ${isWell ? 'passed' : 'failed'}\n`;
  return new WholeResponse(lines.join('') + verdict, { status: isWell ? 200 : 503, headers });
}

/** A store that is somewhere else, and knows whether it is in touch. */
export interface RemoteStore {
  /** Why it is not; undefined while it is. */
  failure(): string | undefined;
}

interface Checked {
  readonly store: Store;
  readonly cluster?: RemoteStore | undefined;
  readonly view: Pick<StoreView, 'ready' | 'brokenForMs'>;
  readonly services: readonly Service[];
}

/** Of a whole server: the store answers, its cluster is in touch, the view follows it, and each service has what it listens on. */
export function serverChecks({ store, cluster, view, services }: Checked): readonly Check[] {
  return [
    { name: 'store', failure: () => storeFailure(store) },
    ...(cluster === undefined ? [] : [{ name: 'cluster', failure: () => cluster.failure() }]),
    { name: 'view', failure: () => viewFailure(view) },
    ...servicesChecks(services),
  ];
}

export function servicesChecks(services: readonly Service[]): readonly Check[] {
  return services.map((service) => ({
    name: service.name,
    failure() {
      const { ready, reason = 'not ready' } = service.health();
      return ready ? undefined : reason;
    },
  }));
}

/** A read of something that is not there: every store has to look, and none has to send much. */
async function storeFailure(store: Store): Promise<undefined> {
  await store.get({ collection: 'hardware.tinkerbell.org', namespace: 'default', name: 'readyz' });
}

function viewFailure(view: Checked['view']): string | undefined {
  if (!view.ready()) return 'the store has not been listed yet';
  const brokenMs = view.brokenForMs();
  if (brokenMs < BROKEN_VIEW_MS) return undefined;
  return `changes in the store have not been followed for ${Math.round(brokenMs / 1000)} s`;
}
