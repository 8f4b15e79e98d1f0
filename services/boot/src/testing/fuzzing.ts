/** Code that both fuzzers share. */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface FuzzReport {
  readonly answered: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly heapGrowthBytes: number;
}

/** Surrounds each packet and replaces it afterwards. An answer that contains it was made from foreign memory. */
export const CANARY = Buffer.from('d1f5a37e9b2c4486', 'hex');
/** The number of packets before memory is measured for the first time. */
export const WARM_UP = 20_000;
/** No packet may take longer than this. */
export const SLOW_MS = 100;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** The command line of a fuzzer: `--count 1000000 --seed 7`. */
export async function fuzzByHand(
  fuzz: (run: { count: number; seed: number }) => Promise<FuzzReport>,
): Promise<void> {
  const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
  const [count, seed] = [Number(values.count ?? 1_000_000), Number(values.seed ?? process.hrtime()[1])];
  process.stdout.write(`seed ${seed}, ${count} packets\n`);
  process.stdout.write(`${JSON.stringify(await fuzz({ count, seed }), undefined, 2)}\n`);
}
