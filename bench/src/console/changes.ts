/** Changes of machines over the API, as the work of a site makes them. */
import { hardwareOf } from '../machines.ts';

export const HARDWARE = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware';

/** Sets a label of a machine. */
export async function label(url: string, machine: number, value: string): Promise<void> {
  const { name } = hardwareOf(machine).metadata;
  const response = await fetch(`${url}${HARDWARE}/${name}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { labels: { turn: value } } }),
  });
  if (!response.ok) throw new Error(`a change was refused: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
}

interface Flood {
  readonly machines: number;
  readonly changes: number;
  readonly atOnce: number;
}

/** As fast as the server stores them. */
export async function flood(url: string, { machines, changes, atOnce }: Flood): Promise<void> {
  let next = 0;
  const write = async (): Promise<void> => {
    for (let own = next++; own < changes; own = next++) await label(url, own % machines, `t${own}`);
  };
  await Promise.all(Array.from({ length: atOnce }, write));
}

/** `rate` changes a second, for `seconds`. */
export async function steadyChanges(
  url: string,
  { machines, rate, seconds }: { readonly machines: number; readonly rate: number; readonly seconds: number },
): Promise<void> {
  const startedMs = performance.now();
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    await label(url, (sent * 37) % machines, `s${sent}`);
    const dueMs = startedMs + ((sent + 1) * 1000) / rate;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
  }
}
