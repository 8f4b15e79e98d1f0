/**
 * One installation during which things break. It begins with a used disk, and ends when the Workflow has succeeded and the disk
 * holds the image, byte by byte.
 */
import type { SeededChoice } from '../seeded-choice.ts';
import { sha256Of, soil } from './disk-image.ts';
import { AGENT_ID, type Site } from './site.ts';

const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const BREAKS_MAX = 3;
const CUT_MS_MAX = 1500;
const PAUSE_MS = 50;
/** Longer than every retry of an action. */
const RUN_MS_MAX = 180_000;

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

const BREAKS = ['network', 'agent', 'machine', 'server'] as const;
type Break = (typeof BREAKS)[number];

export interface BreakResult {
  readonly name: string;
  readonly seconds: number;
  readonly breaks: readonly Break[];
  /** The bytes from the server, as a multiple of the image. */
  readonly fetched: number;
  /** Absent: installed, and identical. */
  readonly error?: string;
}

export async function runBreaks(
  site: Site,
  {
    number,
    image,
    choose,
  }: { readonly number: number; readonly image: StoredImage; readonly choose: SeededChoice },
): Promise<BreakResult> {
  const startedMs = performance.now();
  const breaks = Array.from({ length: 1 + choose.below(BREAKS_MAX) }, () => choose.of(BREAKS));
  const name = `${number} ${image.form}: ${breaks.join(', ')}`;
  const before = site.files.passedBytes();
  let error: string | undefined;
  try {
    soil(site.device);
    await order(site, { name: `run-${number}`, path: image.path });
    await Promise.all([happen(site, { breaks, image, choose }), succeeded(site, `run-${number}`)]);
    if ((await sha256Of(site.device)) !== image.sha256)
      error = 'the Workflow succeeded, and the disk differs';
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  const fetched = (site.files.passedBytes() - before) / image.bytes;
  const seconds = (performance.now() - startedMs) / 1000;
  return { name, seconds, breaks, fetched, ...(error === undefined ? {} : { error }) };
}

/** Each break comes at a random byte of the image. */
async function happen(
  site: Site,
  { breaks, image, choose }: { breaks: readonly Break[]; image: StoredImage; choose: SeededChoice },
): Promise<void> {
  for (const kind of breaks) {
    const bytes = 1 + choose.below(Math.ceil(image.bytes / breaks.length));
    await new Promise<void>((resolve) => site.files.afterBytes(bytes, resolve));
    await act(site, kind, choose);
  }
}

async function act(site: Site, kind: Break, choose: SeededChoice): Promise<void> {
  const forMs = choose.below(CUT_MS_MAX);
  switch (kind) {
    case 'network':
      site.files.cut(forMs);
      return site.actions.cut(forMs);
    case 'agent':
      return await site.restartAgent();
    case 'machine':
      return await site.restartMachine();
    case 'server':
      return await site.restartServer();
  }
}

async function order(site: Site, { name, path }: { name: string; path: string }): Promise<void> {
  const template = `version: "0.1"
name: ${name}
global_timeout: 600
tasks:
  - name: install
    worker: "{{.device_1}}"
    actions:
      - name: write image
        image: image2disk
        timeout: 300
        environment:
          IMG_URL: http://127.0.0.1:${site.files.port}${path}
          DEST_DISK: ${site.device}
          RETRY_ENABLED: "true"
`;
  const metadata = { name, namespace: 'default' };
  await create(site, 'templates', { kind: 'Template', metadata, spec: { data: template } });
  const spec = { templateRef: name, hardwareMap: { device_1: AGENT_ID } };
  await create(site, 'workflows', { kind: 'Workflow', metadata, spec });
}

async function create(site: Site, resource: string, object: object): Promise<void> {
  const { url, request } = site.server();
  const response = await request(`${url}${OBJECTS}/${resource}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...object }),
  });
  if (!response.ok) throw new Error(`${resource}: ${response.status} ${await response.text()}`);
}

async function succeeded(site: Site, name: string): Promise<void> {
  const untilMs = performance.now() + RUN_MS_MAX;
  let status: unknown;
  while (performance.now() < untilMs) {
    status = (await statusOf(site, name)) ?? status;
    const state = status !== null && typeof status === 'object' && 'state' in status ? status.state : '';
    if (state === 'SUCCESS') return;
    if (state === 'FAILED' || state === 'TIMEOUT') break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`not installed: ${JSON.stringify(status)}\n${site.agentSaid().slice(-20).join('\n')}`);
}

/** Undefined while the server does not answer. */
async function statusOf(site: Site, name: string): Promise<unknown> {
  try {
    const { url, request } = site.server();
    const found: unknown = await (await request(`${url}${OBJECTS}/workflows/${name}`)).json();
    return found !== null && typeof found === 'object' && 'status' in found ? found.status : undefined;
  } catch {
    return undefined;
  }
}
