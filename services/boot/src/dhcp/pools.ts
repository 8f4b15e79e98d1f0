import type { DhcpPacket } from '@tinkerbell/dhcp';
import {
  poolReply,
  poolStepFor,
  PoolTable,
  refusal,
  type AddressPool,
  type Arrival,
  type Holding,
  type IgnoreReason,
  type NetbootClient,
  type NetbootSettings,
  type PoolReplyKind,
  type ReplyDecision,
  type ReservationResult,
} from '@tinkerbell/netboot';
import type { AddressHolder, AddressProbe, Clock, Log } from '@tinkerbell/platform-contract';
import type { Lease, LeaseBook, View } from '@tinkerbell/store-contract';
import { parseIpv4, parseMac, type Ipv4, type Mac } from '@tinkerbell/wire';
import type { DhcpTimeline } from './timeline.ts';

export interface DhcpPoolsDeps {
  readonly view: View;
  readonly clock: Clock;
  readonly log: Log;
  readonly leases: LeaseBook;
  readonly probe: AddressProbe;
  readonly timeline: Pick<DhcpTimeline, 'conflict'>;
}

export interface PoolQuestion {
  readonly request: DhcpPacket;
  readonly client: NetbootClient;
  readonly reservation: ReservationResult;
  readonly pool: AddressPool;
  readonly arrival: Arrival;
}

/** The time an offered address is reserved for its client. Clients choose among offers within seconds. */
const OFFER_MS = 60_000;
/** RFC 2131 section 4.4.1 has clients wait four seconds for an offer. */
const PROBE_MS = 500;
/** A probe without an answer stays valid for the next client that is offered the address soon after. */
const PROBE_KEPT_MS = 300_000;
const PROBES_AT_ONCE_MAX = 128;
const DECLINED_MS = 3_600_000;
/** A client waits for a few probes in a row, not for a pool full of foreign machines. */
const TRIES_MAX = 3;

/**
 * Assigns addresses of pools. `poolStepFor` decides what a client may have. This code probes the address and records the lease.
 */
export class DhcpPools {
  readonly #deps: DhcpPoolsDeps;
  readonly #settings: NetbootSettings;
  readonly #table = new PoolTable();
  readonly #probing = new Set<Mac>();
  readonly #probedAtMs = new Map<Ipv4, number>();

  constructor(deps: DhcpPoolsDeps, settings: NetbootSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /** Loads earlier leases. Await it before the first request. */
  async load(): Promise<void> {
    for (const { address: text, mac: macText, state, untilMs } of await this.#deps.leases.load()) {
      const [address, mac] = [parseIpv4(text), parseMac(macText)];
      if (address !== undefined && mac !== undefined) this.#table.put({ address, mac, state, untilMs });
    }
  }

  /** Returns the reply, or why there is none. Waits for a probe or the disk, but not for those of other clients. */
  async decide(question: PoolQuestion): Promise<ReplyDecision> {
    const { request, client, pool } = question;
    const { mac } = client;
    if (mac === undefined) return ignored('no-hardware-address', 'the client has no MAC');
    const step = this.#stepFor(question, mac);
    switch (step.kind) {
      case 'ignore':
        if (step.reason === 'other-server-selected') this.#withdrawOffer(mac, pool);
        return step;
      case 'refuse':
        return { kind: 'reply', reply: refusal(request, this.#settings, step.message) };
      case 'inform':
        return this.#reply({ ...question, mac }, 'acknowledge', undefined);
      case 'offer':
        return this.#offer({ ...question, mac });
      case 'acknowledge':
        return this.#acknowledge({ ...question, mac }, step.address);
      case 'decline':
        await this.#write({ address: step.address, mac, state: 'declined', untilMs: this.#in(DECLINED_MS) });
        return ignored('client-declined', `address ${step.address} is in use elsewhere`);
      case 'release':
        await this.#write({ address: step.address, mac, state: 'released', untilMs: this.#in(0) });
        return ignored('client-released', `address ${step.address} released`);
    }
  }

  #stepFor({ request, pool, arrival }: PoolQuestion, mac: Mac) {
    const { serverAddress } = this.#settings;
    const isReserved = (address: Ipv4) =>
      address === serverAddress ||
      arrival.localAddresses.includes(address) ||
      this.#deps.view.hardwareByIp(address).length > 0;
    const nowMs = this.#in(0);
    return poolStepFor({ request, mac, pool, table: this.#table, isReserved, serverAddress, nowMs });
  }

  async #offer(question: PoolQuestion & { readonly mac: Mac }): Promise<ReplyDecision> {
    const { mac, pool } = question;
    if (this.#probing.has(mac)) return ignored('address-being-probed', 'its address is being probed');
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const step = this.#stepFor(question, mac);
      if (step.kind !== 'offer') return step.kind === 'ignore' ? step : NOTHING_FREE(pool);
      // A flood of strangers uses up the probes. Clients that have an address need none.
      if (!step.isKnown && this.#probing.size >= PROBES_AT_ONCE_MAX)
        return ignored('address-being-probed', 'the addresses of too many other clients are being probed');
      this.#keepFor(mac, step.address);
      if (step.isKnown || (await this.#isFree(step.address, mac))) {
        return this.#reply(question, 'offer', step.address);
      }
    }
    return NOTHING_FREE(pool);
  }

  /** An offer of the same address does not shorten an active lease. */
  #keepFor(mac: Mac, address: Ipv4): void {
    const untilMs = this.#in(OFFER_MS);
    const held = this.#table.at(address);
    if (held?.mac === mac && held.state === 'leased' && held.untilMs >= untilMs) return;
    this.#table.put({ address, mac, state: 'offered', untilMs });
  }

  async #isFree(address: Ipv4, mac: Mac): Promise<boolean> {
    const { timeline } = this.#deps;
    if (this.#in(0) - (this.#probedAtMs.get(address) ?? Number.NEGATIVE_INFINITY) < PROBE_KEPT_MS)
      return true;
    const holder = await this.#holderOf(address, mac);
    if (holder === 'unknown') return true;
    if (holder === undefined || holder.mac === mac) {
      this.#probedAtMs.set(address, this.#in(0));
      return true;
    }
    timeline.conflict({ mac, address, holder });
    await this.#write({ address, mac, state: 'declined', untilMs: this.#in(DECLINED_MS) });
    return false;
  }

  /** A failed probe, as while a link goes down, does not block an address. */
  async #holderOf(address: Ipv4, mac: Mac): Promise<AddressHolder | undefined | 'unknown'> {
    this.#probing.add(mac);
    try {
      return await this.#deps.probe.holderOf(address, PROBE_MS);
    } catch (error) {
      this.#deps.log.warn('DHCP address could not be probed', { address, mac, error: String(error) });
      return 'unknown';
    } finally {
      this.#probing.delete(mac);
    }
  }

  async #acknowledge(question: PoolQuestion & { readonly mac: Mac }, address: Ipv4): Promise<ReplyDecision> {
    const { mac, pool } = question;
    const before = this.#table.at(address);
    const untilMs = this.#in(pool.leaseTimeSeconds * 1000);
    if (await this.#write({ address, mac, state: 'leased', untilMs })) {
      return this.#reply(question, 'acknowledge', address);
    }
    if (before !== undefined) this.#table.put(before);
    return ignored('lease-not-written', 'the lease could not be stored');
  }

  /** Records the lease in memory at once, so that nobody else gets the address. Resolves with true when it is on disk too. */
  async #write(holding: Lease & Holding): Promise<boolean> {
    this.#table.put(holding);
    this.#probedAtMs.delete(holding.address);
    try {
      await this.#deps.leases.write(holding);
      return true;
    } catch (error) {
      this.#deps.log.error('DHCP lease could not be stored', {
        address: holding.address,
        mac: holding.mac,
        error: String(error),
      });
      return false;
    }
  }

  #withdrawOffer(mac: Mac, pool: AddressPool): void {
    const holding = this.#table.of(mac, pool);
    if (holding?.state === 'offered') {
      this.#table.put({ ...holding, state: 'released', untilMs: this.#in(0) });
    }
  }

  #reply(
    { request, client, pool, reservation, mac }: PoolQuestion & { readonly mac: Mac },
    kind: PoolReplyKind,
    address: Ipv4 | undefined,
  ): ReplyDecision {
    const known = reservation.ok ? reservation.value : undefined;
    const input = { request, client, pool, mac, address, known, settings: this.#settings };
    return { kind: 'reply', reply: poolReply(input, kind) };
  }

  #in(ms: number): number {
    return this.#deps.clock.nowMs() + ms;
  }
}

const NOTHING_FREE = ({ first, last }: AddressPool): ReplyDecision =>
  ignored('pool-exhausted', `of ${first} to ${last} every address that was tried is in use`);

function ignored(reason: IgnoreReason, message: string): ReplyDecision {
  return { kind: 'ignore', reason, message };
}
