/** Changes of machines over the API, as the work of a site makes them. */
import { patchMetadata } from '../patched-hardware.ts';

/** Sets a label of a machine. */
export function label(url: string, machine: number, value: string): Promise<void> {
  return patchMetadata(url, machine, { labels: { turn: value } });
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
