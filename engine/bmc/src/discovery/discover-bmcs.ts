/** Searches a network for BMCs, without credentials: IPMI by presence pings, Redfish by its service root and SSDP. */
import { eachAtOnce, type Clock, type EndpointHttp, type Udp } from '@tinkerbell/platform-contract';
import { pingIpmi } from './ping-ipmi.ts';
import { readServiceRoot, type FoundRedfish } from './read-service-root.ts';
import { searchSsdp } from './search-ssdp.ts';

export interface DiscoveryDeps {
  readonly udp: Udp;
  readonly openHttp: () => EndpointHttp;
  readonly clock: Clock;
}

export interface DiscoveryPlan {
  readonly addresses: readonly string[];
  readonly ports: { readonly ipmi: number; readonly redfish: number };
  /** The limit for each answer. */
  readonly timeoutMs: number;
  /** Called after each address, with the number of those done and of all. */
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface FoundBmc {
  readonly address: string;
  readonly hasIpmi: boolean;
  readonly redfish?: FoundRedfish;
}

const CONNECTIONS_AT_ONCE = 64;

/** Returns the BMCs in the order of the addresses, and then those outside of the range that answered the search. */
export async function discoverBmcs(deps: DiscoveryDeps, plan: DiscoveryPlan): Promise<readonly FoundBmc[]> {
  const { addresses, ports, timeoutMs, signal } = plan;
  const [withIpmi, answered] = await Promise.all([
    pingIpmi(deps, { addresses, port: ports.ipmi, waitMs: timeoutMs, signal }),
    searchSsdp(deps, signal),
  ]);
  const all = [...new Set([...addresses, ...answered])];
  const roots = await readServiceRoots(deps, all, plan);
  return all.flatMap((address) => {
    const [hasIpmi, redfish] = [withIpmi.has(address), roots.get(address)];
    if (!hasIpmi && redfish === undefined) return [];
    return [{ address, hasIpmi, ...(redfish === undefined ? {} : { redfish }) }];
  });
}

async function readServiceRoots(
  { openHttp }: DiscoveryDeps,
  addresses: readonly string[],
  { ports, timeoutMs, signal, onProgress }: DiscoveryPlan,
): Promise<ReadonlyMap<string, FoundRedfish>> {
  const found = new Map<string, FoundRedfish>();
  let done = 0;
  await eachAtOnce(addresses, CONNECTIONS_AT_ONCE, async (address) => {
    await using http = openHttp();
    const root = await readServiceRoot(http, { address, port: ports.redfish }, { timeoutMs, signal });
    if (root !== undefined) found.set(address, root);
    onProgress((done += 1), addresses.length);
  });
  return found;
}
