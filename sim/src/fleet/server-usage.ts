/** Memory and processor time of the server, from its metrics. */

export interface ServerUsage {
  readonly residentBytes: number;
  readonly processorSeconds: number;
}

/** `text`: the answer of `/metrics`. Undefined when it does not say. */
export function usageIn(text: string): ServerUsage | undefined {
  const residentBytes = sample(text, 'process_resident_memory_bytes');
  const processorSeconds = sample(text, 'process_cpu_seconds_total');
  if (residentBytes === undefined || processorSeconds === undefined) return undefined;
  return { residentBytes, processorSeconds };
}

function sample(text: string, name: string): number | undefined {
  const found = new RegExp(String.raw`^${name}(?:\{[^}]*\})? (\S+)`, 'm').exec(text)?.[1];
  return found === undefined || Number.isNaN(Number(found)) ? undefined : Number(found);
}
