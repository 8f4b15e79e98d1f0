/** Routes with what they need at run time: limits, verifiers and upstreams. */
import type { TokenVerifier } from '@tinkerbell/platform-contract';
import type { IpNetwork } from '@tinkerbell/wire';
import type { GatewayDeps } from './gateway-deps.ts';
import { answerBlock, trailersBlock } from './answer-fields.ts';
import { Kept } from './kept.ts';
import { KeptBlocks } from './kept-blocks.ts';
import { ConcurrencyLimit, RateLimit } from './limits.ts';
import { inOrder } from './match-route.ts';
import type { RouteFile, RouteSettings } from './route-file.ts';
import { UpstreamPool, type PoolOptions } from './upstream-pool.ts';

export interface LiveRoute {
  readonly settings: RouteSettings;
  readonly pool: UpstreamPool;
  readonly rate?: RateLimit | undefined;
  readonly concurrency?: ConcurrencyLimit | undefined;
  readonly verifier?: TokenVerifier | undefined;
  /** What clients get of the header fields and trailers of relayed calls, without those of CORS. */
  readonly answers: KeptBlocks;
  readonly trailers: KeptBlocks;
}

export interface RouteTable {
  /** The routes in the order in which they are tried. */
  readonly settings: readonly RouteSettings[];
  readonly routes: ReadonlyMap<RouteSettings, LiveRoute>;
  readonly trustedProxies: readonly IpNetwork[];
  /** Header fields that carry claims of tokens. No client may send them, on any route. */
  readonly ownNames: ReadonlySet<string>;
}

export const NO_ROUTES: RouteTable = {
  settings: [],
  routes: new Map(),
  trustedProxies: [],
  ownNames: new Set(),
};

export class RouteTables {
  readonly #deps: GatewayDeps;
  readonly #pool: Omit<PoolOptions, 'ca'>;
  readonly #pools = new Kept<UpstreamPool>((pool) => pool.close());
  readonly #rates = new Kept<RateLimit>();
  readonly #concurrencies = new Kept<ConcurrencyLimit>();
  readonly #verifiers = new Kept<TokenVerifier>();

  constructor(deps: GatewayDeps, pool: Omit<PoolOptions, 'clock' | 'ca'>) {
    this.#deps = deps;
    this.#pool = { ...pool, clock: deps.clock };
  }

  /** Rejects without any change when a file that the routes name cannot be read. */
  async build({ routes, trustedProxies }: RouteFile): Promise<RouteTable> {
    const settings = inOrder(routes);
    const live = new Map<RouteSettings, LiveRoute>();
    try {
      for (const one of settings) live.set(one, await this.#live(one));
    } catch (thrown) {
      for (const kept of this.#all()) kept.discard();
      throw thrown;
    }
    const ownNames = new Set(
      settings.flatMap(({ middlewares }) => [...(middlewares.validateJwt?.claimsToHeaders.values() ?? [])]),
    );
    return { settings, routes: live, trustedProxies, ownNames };
  }

  /** The table built last is in use. What only older tables need is closed when its work has ended. */
  commit(): void {
    for (const kept of this.#all()) kept.commit();
  }

  #all() {
    return [this.#pools, this.#rates, this.#concurrencies, this.#verifiers];
  }

  async #live(settings: RouteSettings): Promise<LiveRoute> {
    const { name, upstream, middlewares } = settings;
    const { rateLimit, maxConnections, validateJwt } = middlewares;
    const { readFile, verifierFor } = this.#deps;
    const read = (path: string | undefined) => (path === undefined ? undefined : readFile(path));
    const [ca, jwks] = [await read(upstream.caFile), await read(validateJwt?.jwksFile)];
    return {
      settings,
      answers: new KeptBlocks((fields) => answerBlock(fields, middlewares)),
      trailers: new KeptBlocks(trailersBlock),
      pool: await this.#pools.get(
        JSON.stringify([upstream, ca]),
        () => new UpstreamPool(upstream, { ...this.#pool, ...(ca === undefined ? {} : { ca }) }),
      ),
      rate:
        rateLimit === undefined
          ? undefined
          : await this.#rates.get(JSON.stringify([name, rateLimit]), () => new RateLimit(rateLimit)),
      concurrency:
        maxConnections === undefined
          ? undefined
          : await this.#concurrencies.get(
              JSON.stringify([name, maxConnections]),
              () => new ConcurrencyLimit(maxConnections),
            ),
      verifier:
        validateJwt === undefined
          ? undefined
          : await this.#verifiers.get(JSON.stringify([{ ...validateJwt, claimsToHeaders: [] }, jwks]), () =>
              verifierFor(validateJwt, jwks),
            ),
    };
  }
}
