/**
 * One installation during which things break. It begins with a used disk, and ends when the Workflow has succeeded. Then the machine
 * loses its power, and its disk must have the image, byte by byte.
 */
import { startWrongPeer, type WrongAnswer } from '../image-peers/wrong-peer.ts';
import type { SeededChoice } from '../seeded-choice.ts';
import { sha256Of, soil } from './disk-image.ts';
import { orderInstallation, peerBytesIn, untilInstalled } from './installation.ts';
import { SITE_ADDRESS, type PeerMachine } from './peer-machine.ts';
import {
  breakPeer,
  breakSite,
  namesIn,
  planBreaks,
  planPeerBreaks,
  type Break,
  type Plan,
} from './planned-breaks.ts';
import type { Site } from './site.ts';

/** Where the image comes from: the registry by chunk, or a file. */
export interface StoredImage {
  readonly form: string;
  /** `/images/disk.zst` */
  readonly path: string;
  /** Of the disk. */
  readonly sha256: string;
  /** What the agent must fetch at least. */
  readonly bytes: number;
}

const WRONG_NAMES: readonly WrongAnswer[] = ['other bytes', 'an end', 'nothing', 'a part'];

export interface BreakResult {
  readonly name: string;
  readonly form: string;
  readonly seconds: number;
  /** Those that happened before the end. */
  readonly breaks: readonly Break[];
  /** The bytes from the server, as a multiple of the image. */
  readonly fetched: number;
  /** What the last execution of the action used of peers. */
  readonly peerBytes: number;
  /** The bytes from the server, and what was used of peers, beyond the bytes of the image. */
  readonly excessBytes: number;
  /** Absent: installed, and identical. */
  readonly error?: string;
}

export interface BreakOrder {
  readonly number: number;
  readonly image: StoredImage;
  readonly choose: SeededChoice;
  /** It writes the image too, and it is what breaks. */
  readonly peer: PeerMachine | undefined;
}

export async function runBreaks(site: Site, order: BreakOrder): Promise<BreakResult> {
  const { number, image, choose, peer } = order;
  const startedMs = performance.now();
  // The peer sends more than a quarter of the image, if nothing breaks.
  const plan = peer === undefined ? planBreaks(choose) : planPeerBreaks(choose, Math.ceil(image.bytes / 4));
  // Half of the other runs by chunk have a peer that sends wrong answers until the end.
  const isWrong = peer === undefined && image.form === 'by chunk' && choose.once(2);
  const answer = isWrong ? choose.of(WRONG_NAMES) : undefined;
  const before = site.files.passedBytes();
  const { breaks, message, asked, error } = await attempt(site, order, { plan, answer });
  const fetchedBytes = site.files.passedBytes() - before;
  const peerBytes = peerBytesIn(message);
  const named = answer === undefined ? '' : `; a peer that sends ${answer}, asked ${asked} times`;
  return {
    name: `${number} ${image.form}: ${namesIn(plan).join(', ')}${named}`,
    form: image.form,
    seconds: (performance.now() - startedMs) / 1000,
    breaks,
    fetched: fetchedBytes / image.bytes,
    peerBytes,
    excessBytes: fetchedBytes + peerBytes - image.bytes,
    ...(error === undefined ? {} : { error }),
  };
}

interface Course {
  readonly plan: Plan;
  /** Of a wrong peer. */
  readonly answer: WrongAnswer | undefined;
}

interface Outcome {
  readonly breaks: readonly Break[];
  /** Of the action. */
  readonly message: string;
  /** How often the wrong peer was. */
  readonly asked: number;
  readonly error?: string;
}

async function attempt(site: Site, order: BreakOrder, { plan, answer }: Course): Promise<Outcome> {
  const { image, peer, choose } = order;
  const breaks: Break[] = [];
  let asked = (): number => 0;
  try {
    await using cleanup = new AsyncDisposableStack();
    if (answer !== undefined) {
      const url = `http://127.0.0.1:${site.files.port}${image.path}`;
      const wrong = cleanup.use(await startWrongPeer(url, { address: '127.0.0.1', answer }));
      asked = () => wrong.asked();
    }
    soil(site.device);
    const { port } = new URL(site.server().url);
    await peer?.begin(
      `http://${SITE_ADDRESS}:${port}${image.path}`,
      1 + choose.below(Math.ceil(image.bytes / 3)),
    );
    const message = await install(site, order, { plan, happened: breaks });
    await site.restartMachine();
    if ((await sha256Of(site.device)) !== image.sha256)
      throw new Error('the Workflow succeeded, and the disk differs after a power cut');
    await peer?.finish(image.sha256);
    return { breaks, message, asked: asked() };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    return { breaks, message: '', asked: asked(), error };
  }
}

/** Returns the message of the action. */
async function install(
  site: Site,
  { number, image, choose, peer }: BreakOrder,
  { plan, happened }: { readonly plan: Plan; readonly happened: Break[] },
): Promise<string> {
  const name = `run-${number}`;
  await orderInstallation(site, { name, path: image.path });
  const over = new AbortController();
  const breaking = { plan, bytes: image.bytes, choose, happened, over: over.signal };
  const broken = Promise.all([breakSite(site, breaking), peer && breakPeer(peer, breaking)]);
  try {
    // A break that cannot be made ends the run too.
    return await Promise.race([untilInstalled(site, name), broken.then(() => new Promise<never>(() => {}))]);
  } finally {
    over.abort();
    await broken;
  }
}
