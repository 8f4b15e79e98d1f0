/** What breaks while an image is written, and when: at random bytes of it, from a seed. */
import type { SeededChoice } from '../seeded-choice.ts';
import { PEER_BREAKS, type PeerBreak, type PeerMachine } from './peer-machine.ts';
import type { Site } from './site.ts';

const SITE_BREAKS_MAX = 3;
const PEER_BREAKS_MAX = 2;
const CUT_MS_MAX = 1500;
/** An agent drops a peer that sends nothing for three seconds. */
const PEER_BREAK_MS_MAX = 5000;
/** More than what the peer sends to the server before it sends a chunk. */
const CHUNK_SENT_BYTES = 512 * 1024;
/** A power cut loses a quarter of the blocks in the cache of the disk. */
const LOST_ONE_OF = 4;

const PASSING_BREAKS = PEER_BREAKS.filter((kind) => kind !== 'killed');
const SITE_BREAKS = ['network', 'agent', 'machine', 'server'] as const;
type SiteBreak = (typeof SITE_BREAKS)[number];
export type Break = SiteBreak | `peer ${PeerBreak}`;

interface PlannedPeerBreak {
  readonly kind: PeerBreak;
  /** Since the break before. */
  readonly afterBytes: number;
  /** Infinity: until the end of the installation. */
  readonly forMs: number;
}

export interface Plan {
  readonly site: readonly SiteBreak[];
  readonly peer: readonly PlannedPeerBreak[];
}

export function planBreaks(choose: SeededChoice): Plan {
  return {
    site: Array.from({ length: 1 + choose.below(SITE_BREAKS_MAX) }, () => choose.of(SITE_BREAKS)),
    peer: [],
  };
}

/** `bytes`: what the peer sends about. Its last break may last. Sometimes something else breaks as well. */
export function planPeerBreaks(choose: SeededChoice, bytes: number): Plan {
  const count = 1 + choose.below(PEER_BREAKS_MAX);
  const peer = Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    return {
      kind: choose.of(isLast ? PEER_BREAKS : PASSING_BREAKS),
      afterBytes: CHUNK_SENT_BYTES + choose.below(Math.ceil(bytes / count)),
      forMs: isLast && choose.once(2) ? Number.POSITIVE_INFINITY : choose.below(PEER_BREAK_MS_MAX),
    };
  });
  return { site: choose.once(4) ? [choose.of(SITE_BREAKS)] : [], peer };
}

export function namesIn({ site, peer }: Plan): readonly string[] {
  return [...site, ...peer.map(nameOf)];
}

function nameOf({ kind, forMs }: PlannedPeerBreak): string {
  const isMomentary = kind === 'killed' || kind === 'restarted';
  return `peer ${kind}${isMomentary || Number.isFinite(forMs) ? '' : ' to the end'}`;
}

interface Breaking {
  readonly plan: Plan;
  /** Of the image, packed. */
  readonly bytes: number;
  readonly choose: SeededChoice;
  /** Those that happened are added. */
  readonly happened: Break[];
  /** Aborts at the end of the installation. */
  readonly over: AbortSignal;
}

/** Each break comes at a random byte of the image. */
export async function breakSite(
  site: Site,
  { plan, bytes, choose, happened, over }: Breaking,
): Promise<void> {
  for (const kind of plan.site) {
    const afterBytes = 1 + choose.below(Math.ceil(bytes / plan.site.length));
    const forMs = choose.below(CUT_MS_MAX);
    if (!(await site.files.afterBytes(afterBytes, over))) return;
    happened.push(kind);
    await breakOne(site, kind, { forMs, keeps: () => !choose.once(LOST_ONE_OF) });
  }
}

interface Details {
  /** Of a cut network. */
  readonly forMs: number;
  readonly keeps: () => boolean;
}

async function breakOne(site: Site, kind: SiteBreak, { forMs, keeps }: Details): Promise<void> {
  switch (kind) {
    case 'network':
      site.files.cut(forMs);
      return site.actions.cut(forMs);
    case 'agent':
      return await site.restartAgent();
    case 'machine':
      return await site.restartMachine(keeps);
    case 'server':
      return await site.restartServer();
  }
}

/** Each break comes while the peer sends. */
export async function breakPeer(peer: PeerMachine, { plan, happened, over }: Breaking): Promise<void> {
  for (const { kind, afterBytes, forMs } of plan.peer) {
    if (!(await peer.afterBytes(afterBytes, over)) || !peer.isRunning) return;
    happened.push(`peer ${kind}`);
    await peer.break(kind, () => pause(forMs, over));
  }
}

function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (over.aborted) return resolve();
    const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined;
    over.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
