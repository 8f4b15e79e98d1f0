/** Thousands of agents in separate processes. `agent-load-client.ts` defines what they do. */
import { fileURLToPath } from 'node:url';

import type { LoadNews, LoadOrder } from './agent-load-client.ts';
import type { BenchContext } from './benchmark.ts';
import type { AgentProtocol } from './load-agent.ts';
import { processorSeconds, startProgram, type RunningProgram } from './running-program.ts';

const CLIENT = fileURLToPath(new URL('agent-load-client.ts', import.meta.url));
/** The files that a process may have open besides its connections. */
const SPARE_FILES = 200;

export interface AgentLoadOptions {
  readonly authority: string;
  readonly protocol: AgentProtocol;
  readonly agents: number;
  readonly processes: number;
}

export interface RunResult {
  readonly seconds: number;
  readonly nextActionMs: readonly number[];
}

export class AgentLoad {
  readonly #programs: readonly RunningProgram[];
  readonly #listeners = new Set<(news: LoadNews) => void>();

  private constructor(programs: readonly RunningProgram[]) {
    this.#programs = programs;
    for (const program of programs)
      program.process.on('message', (news: LoadNews) => {
        for (const listener of this.#listeners) listener(news);
      });
  }

  /** Resolves when all agents are connected. Those of our own protocol are then waiting. */
  static async connect(context: BenchContext, options: AgentLoadOptions): Promise<AgentLoad> {
    const { authority, protocol, agents, processes } = options;
    const share = Math.ceil(agents / processes);
    const files = withFiles(share);
    const [first, ...rest] = [...files, process.execPath, CLIENT];
    const programs = Array.from({ length: processes }, () =>
      startProgram(context, { command: [first, ...rest], channel: true }),
    );
    const load = new AgentLoad(programs);
    await load.#order('connected', (index) => ({
      kind: 'connect',
      authority,
      protocol,
      first: index * share,
      count: Math.min(share, agents - index * share),
    }));
    return load;
  }

  /** All agents run this many actions each. */
  async run(plan: Omit<Extract<LoadOrder, { kind: 'run' }>, 'kind'>): Promise<RunResult> {
    const startedMs = nowMs();
    const news = await this.#order('done', () => ({ kind: 'run', ...plan }));
    const endedMs = Math.max(...news.map((one) => one.endedMs));
    return { seconds: (endedMs - startedMs) / 1000, nextActionMs: news.flatMap((one) => one.nextActionMs) };
  }

  /**
   * From now on every action is reported to `onTaken`, with the machine and the time of the monotonic clock,
   * and to the server as done.
   */
  wait(onTaken: (machine: number, atMs: number) => void): void {
    this.#listeners.add((news) => {
      if (news.kind === 'taken') onTaken(news.machine, news.atMs);
    });
    for (const program of this.#programs) program.process.send({ kind: 'wait' } satisfies LoadOrder);
  }

  processorSeconds(): number {
    return this.#programs.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.stop()));
  }

  /** Resolves with the messages of that kind from all processes. */
  #order<Kind extends LoadNews['kind']>(
    kind: Kind,
    orderOf: (index: number) => LoadOrder,
  ): Promise<readonly Extract<LoadNews, { kind: Kind }>[]> {
    return new Promise((resolve, reject) => {
      const heard: Extract<LoadNews, { kind: Kind }>[] = [];
      const listener = (news: LoadNews): void => {
        if (news.kind === 'failed') reject(new Error(`an agent of the load failed: ${news.error}`));
        if (news.kind === kind) heard.push(news as Extract<LoadNews, { kind: Kind }>);
        if (heard.length < this.#programs.length) return;
        this.#listeners.delete(listener);
        resolve(heard);
      };
      this.#listeners.add(listener);
      for (const [index, program] of this.#programs.entries()) {
        void program.ended.then((code) =>
          reject(new Error(`the load ended with ${code}: ${program.output()}`)),
        );
        program.process.send(orderOf(index));
      }
    });
  }
}

/** Returns the time of the monotonic clock, which all processes share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Returns the beginning of a command line for a program with this many connections. */
export function withFiles(connections: number): readonly [string, ...string[]] {
  const files = connections + SPARE_FILES;
  return ['prlimit', `--nofile=${files}:${files}`];
}
