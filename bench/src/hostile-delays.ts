/** What good clients wait for one server, alone and beside hostile clients in turns, and the rows of that. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { EXPLAINS, numberText, rowOf, type BenchContext, type Measurement, type Row } from './benchmark.ts';
import { alternate, median } from './rounds.ts';
import { mustRun, startProgram, untilReady, type ProgramOptions } from './running-program.ts';

export const HOSTILE_CLIENTS = 100;
/** A server runs for months. In the first rounds of each, V8 compiles what they need. */
const WARM_UPS = { quick: 1, whole: 3 } as const;
/** A slow sync of the disk or a collection of garbage, which a round may have or not, decides about its slowest hundredth. */
const ROUNDS = { quick: 1, whole: 7 } as const;
/** At most twice what they wait alone. */
const RATIO_GOAL = 0.5;
const SERVER_PROCESSOR = '0';
const LOAD_PROCESSOR = '1';
/**
 * Hostile clients stand for other machines. The server has a processor of its own. The good clients share the other one with them, and
 * have it whenever they need it: what they wait for a processor is not the server's.
 */
export const AS_ANOTHER_MACHINE = ['chrt', '--idle', '0', 'taskset', '-c', LOAD_PROCESSOR] as const;
const CLIENTS_PROGRAM = fileURLToPath(new URL('hostile-clients-program.ts', import.meta.url));

interface Attacked {
  readonly name: string;
  /** Starts the hostile clients. */
  readonly hostile: ProgramOptions;
  /** Of the server. */
  readonly pid: number;
  /** Milliseconds, 99 of 100. @throws Error when a good client got no answer. */
  readonly p99: () => Promise<number>;
}

/** Milliseconds, 99 of 100, the median of the rounds. */
export interface Delays {
  readonly alone: number;
  readonly beside: number;
}

/** Gives the server and the load a processor each, and measures when the server is warm. */
export async function delaysOf(
  context: BenchContext,
  { name, hostile, pid, p99 }: Attacked,
): Promise<Delays> {
  context.say(name);
  await using loads = new AsyncDisposableStack();
  const own = processorsOf(process.pid);
  loads.defer(() => setProcessors(context, process.pid, own));
  // The programs of the load inherit it. One on the server's processor would be what the good clients wait for.
  await setProcessors(context, process.pid, LOAD_PROCESSOR);
  await setProcessors(context, pid, SERVER_PROCESSOR);
  const besideThem = async (): Promise<number> => {
    const clients = startProgram(context, hostile);
    await untilReady(clients, () => clients.output().includes('ready'));
    const milliseconds = await p99();
    await clients.stop();
    return milliseconds;
  };
  const length = context.quick ? 'quick' : 'whole';
  await alternate(WARM_UPS[length], { alone: p99, beside: besideThem });
  const found = await alternate(ROUNDS[length], { alone: p99, beside: besideThem });
  const [alone, beside] = [found.alone, found.beside].map((rounds) => rounds.map(numberText).join(', '));
  context.say(`${name}: ${beside} ms, and without them ${alone} ms`);
  return { alone: median(found.alone), beside: median(found.beside) };
}

async function setProcessors(context: BenchContext, pid: number, list: string): Promise<void> {
  await mustRun(context, { command: ['taskset', '--all-tasks', '--cpu-list', '--pid', list, String(pid)] });
}

function processorsOf(pid: number): string {
  return /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
}

/** The first column is with hostile clients, and the second one without them. */
export function delayRow(
  name: string,
  { alone, beside }: Delays,
  { goal = { ratio: RATIO_GOAL }, floor }: Partial<Pick<Measurement, 'goal' | 'floor'>> = {},
): Row {
  return rowOf({
    name: `${name}: 99 of 100`,
    value: beside,
    unit: 'ms',
    better: 'lower',
    peer: { name: 'without them', value: alone },
    floor,
    goal,
  });
}

interface Named {
  readonly name: string;
  readonly delays: Delays;
}

/** The row of ours, and one that shows what good clients of `peer` wait beside the same hostile ones. */
export function explainedRows(
  name: string,
  ours: Delays,
  { minimal, peer }: { readonly minimal: Named; readonly peer: Named },
): readonly Row[] {
  return [
    delayRow(name, ours, { floor: { name: minimal.name, value: minimal.delays.beside } }),
    delayRow(`${name}, ${peer.name} instead of ours`, peer.delays, { goal: EXPLAINS }),
  ];
}

export interface Ports {
  readonly http: number;
  readonly http2: number;
  readonly tls: number;
}

export function hostileClients({ http, http2, tls }: Ports): ProgramOptions {
  const numbers = [HOSTILE_CLIENTS, http, http2, tls].map(String);
  return { command: [...AS_ANOTHER_MACHINE, process.execPath, CLIENTS_PROGRAM, ...numbers] };
}

/** Of a URL without a path, or of an address with a port. */
export function portOf(address: string): number {
  return Number(address.split(':').at(-1));
}
