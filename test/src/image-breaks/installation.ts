/** A Workflow that writes a disk image, and its end. */
import { AGENT_ID, type Site } from './site.ts';

const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const PAUSE_MS = 50;
const ANSWER_MS_MAX = 20_000;
/** Longer than every retry of an action, on a slow host. */
const INSTALLATION_MS_MAX = 240_000;

export async function orderInstallation(
  site: Site,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<void> {
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
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (!response.ok) throw new Error(`${resource}: ${response.status} ${await response.text()}`);
}

/** Returns the message of the action. @throws Error with the output of the agents when the Workflow has failed or takes too long. */
export async function untilInstalled(site: Site, name: string): Promise<string> {
  const untilMs = performance.now() + INSTALLATION_MS_MAX;
  let status: unknown;
  while (performance.now() < untilMs) {
    status = (await statusOf(site, name)) ?? status;
    const state = status !== null && typeof status === 'object' && 'state' in status ? status.state : '';
    if (state === 'SUCCESS') return messageIn(status);
    if (state === 'FAILED' || state === 'TIMEOUT') break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`not installed: ${JSON.stringify(status)}\n${site.agentSaid().slice(-20).join('\n')}`);
}

/** Returns what the action used of peers, as far as its message says. */
export function peerBytesIn(message: string): number {
  const [, number, unit = ''] = /, ([\d.]+) ([KM]i)?B from other agents/.exec(message) ?? [];
  return Number(number ?? 0) * ({ Ki: 1024, Mi: 1024 * 1024 }[unit] ?? 1);
}

function messageIn(status: unknown): string {
  const { tasks } = status as { tasks?: readonly { actions?: readonly { message?: string }[] }[] };
  return tasks?.[0]?.actions?.[0]?.message ?? '';
}

/** Undefined while the server does not answer. */
async function statusOf(site: Site, name: string): Promise<unknown> {
  try {
    const { url, request } = site.server();
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const found: unknown = await (await request(`${url}${OBJECTS}/workflows/${name}`, { signal })).json();
    return found !== null && typeof found === 'object' && 'status' in found ? found.status : undefined;
  } catch {
    return undefined;
  }
}
