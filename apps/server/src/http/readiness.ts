/** `/healthz`, `/livez` and `/readyz` in the format of Kubernetes, for its probes and `kubectl get --raw`. */
import { messageOf, delay, WholeResponse, type Clock, type Service } from '@tinkerbell/platform-contract';
import { hardwareCollection, type Store } from '@tinkerbell/store-contract';
import type { StoreView } from '@tinkerbell/store-view';

export interface Check {
  readonly name: string;
  /** Returns undefined if the check passes, else the reason. A thrown error is also a reason. */
  failure(): string | undefined | Promise<string | undefined>;
}

export interface Readiness {
  /**
   * Answers `/readyz` with 503 and the reasons if a check fails, and single checks at paths such as `/readyz/store`. `/healthz` and
   * `/livez` only prove that the process answers, and so does `ping` below each. Returns undefined for any other path.
   */
  probe(path: string, isVerbose: boolean): Response | Promise<Response> | undefined;
  /** Returns the failed checks, such as `boot: not ready`. */
  readonly failures: () => Promise<readonly string[]>;
  /** Reports not ready from now on, whatever the checks return. */
  shutDown(): void;
}

/** Kubernetes probes wait one second by default. A slower check counts as failed. */
const CHECK_MS = 900;
/** The view lists again one second after it loses its watch. Only a longer outage makes the server not ready. */
const BROKEN_VIEW_MS = 10_000;

export function createReadiness(clock: Clock, checks: readonly Check[]): Readiness {
  let isShuttingDown = false;
  const shutdown: Check = {
    name: 'shutdown',
    failure: () => (isShuttingDown ? 'shutting down' : undefined),
  };
  /** Runs no checks after shutdown starts, because their dependencies are closing. */
  const asked = (): readonly Check[] => (isShuttingDown ? [shutdown] : [...checks, shutdown]);
  const run = (wanted: readonly Check[]): Promise<readonly Found[]> =>
    Promise.all(wanted.map(async (check) => ({ name: check.name, failure: await failureOf(clock, check) })));
  async function checked(probe: string, wanted: readonly Check[], isVerbose: boolean): Promise<Response> {
    return report(probe, await run(wanted), isVerbose);
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
    async failures() {
      const found = await run(asked());
      return found.flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name}: ${failure}`]));
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
    return messageOf(thrown);
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

/** A remote store that knows whether it is connected. */
export interface RemoteStore {
  /** Returns why it is disconnected; undefined while it is connected. */
  failure(): string | undefined;
}

interface Checked {
  readonly store: Store;
  readonly cluster?: RemoteStore | undefined;
  readonly view: Pick<StoreView, 'ready' | 'brokenForMs'>;
  readonly services: readonly Service[];
}

/** Checks of a whole server: the store answers, the cluster is connected, the view follows it, and each service listens. */
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

/** Reads a missing object, because every store must search for it but sends little. */
async function storeFailure(store: Store): Promise<undefined> {
  await hardwareCollection.get(store, { namespace: 'default', name: 'readyz' });
}

function viewFailure(view: Checked['view']): string | undefined {
  if (!view.ready()) return 'the initial list of the store is not complete';
  const brokenMs = view.brokenForMs();
  if (brokenMs < BROKEN_VIEW_MS) return undefined;
  return `the watch of the store has been broken for ${Math.round(brokenMs / 1000)} s`;
}
