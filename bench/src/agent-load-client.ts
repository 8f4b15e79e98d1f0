/**
 * The load of `agent-load.ts`, a separate program so that it has its own processor: agents with a connection
 * each. It reads plans from its channel and answers each with its results.
 */
import { StateType } from '@tinkerbell/api/agent';

import { SeededRandom } from '@tinkerbell/sim/seeded-random';

import { connectAgent, type AgentProtocol, type LoadAgent } from './load-agent.ts';
import { addressesOf } from './machines.ts';

export type LoadOrder =
  | {
      readonly kind: 'connect';
      readonly authority: string;
      readonly protocol: AgentProtocol;
      /** The machines that these agents run on. */
      readonly first: number;
      readonly count: number;
    }
  | {
      readonly kind: 'run';
      /** The number of actions of each agent. */
      readonly actions: number;
      /**
       * The mean time of an action, which takes from half to one and a half of it: actions of equal length that once waited together would end
       * together for ever. 0: as fast as the server answers.
       */
      readonly actionMs: number;
      /**
       * Agents start one after the other within this time, like machines that were not switched on at the
       * same moment.
       */
      readonly spreadMs: number;
    }
  /** Wait, and report every action when it arrives. */
  | { readonly kind: 'wait' };

export type LoadNews =
  | { readonly kind: 'connected' }
  | {
      readonly kind: 'done';
      /** A time of the monotonic clock, which all processes share. */
      readonly endedMs: number;
      /** From the start of an action's final report until the next action arrived. */
      readonly nextActionMs: readonly number[];
    }
  | { readonly kind: 'taken'; readonly machine: number; readonly atMs: number }
  | { readonly kind: 'failed'; readonly error: string };

const CONNECTING_AT_ONCE = 32;

const agents: LoadAgent[] = [];
let firstMachine = 0;

async function obey(order: LoadOrder): Promise<void> {
  if (order.kind === 'connect') await connectAll(order);
  else if (order.kind === 'run') await runAll(order);
  else await Promise.all(agents.map((agent, index) => takeAndTell(agent, firstMachine + index)));
}

async function connectAll(order: Extract<LoadOrder, { kind: 'connect' }>): Promise<void> {
  firstMachine = order.first;
  let next = 0;
  const connect = async (): Promise<void> => {
    while (next < order.count) {
      const index = next;
      next += 1;
      agents[index] = await connectAgent(
        order.authority,
        order.protocol,
        addressesOf(order.first + index).mac,
      );
    }
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connect));
  tell({ kind: 'connected' });
}

async function runAll({ actions, actionMs, spreadMs }: Extract<LoadOrder, { kind: 'run' }>): Promise<void> {
  const nextActionMs: number[] = [];
  await Promise.all(
    agents.map(async (agent, index) => {
      const random = new SeededRandom(firstMachine + index);
      await pause((spreadMs * index) / agents.length);
      let action = await agent.nextAction();
      for (let done = 1; ; done += 1) {
        await agent.report(action, StateType.RUNNING);
        await pause(random.between(0.5, 1.5) * actionMs);
        const startedMs = nowMs();
        await agent.report(action, StateType.SUCCESS);
        if (done === actions) return;
        action = await agent.nextAction();
        nextActionMs.push(nowMs() - startedMs);
      }
    }),
  );
  tell({ kind: 'done', endedMs: nowMs(), nextActionMs });
}

async function takeAndTell(agent: LoadAgent, machine: number): Promise<void> {
  for (;;) {
    const action = await agent.nextAction();
    tell({ kind: 'taken', machine, atMs: nowMs() });
    await agent.report(action, StateType.SUCCESS);
  }
}

function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function pause(milliseconds: number): Promise<void> {
  if (milliseconds === 0) return Promise.resolve();
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function tell(news: LoadNews): void {
  process.send?.(news);
}

process.on('message', (order: LoadOrder) => {
  obey(order).catch((error: unknown) => tell({ kind: 'failed', error: String(error) }));
});
