/**
 * A TCP proxy in front of an API server. It breaks connections in the ways in which networks and servers do.
 */
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export type Fault =
  | 'none'
  /** Connections are reset as soon as they are used. */
  | 'reset'
  /** All bytes are accepted and none are forwarded, in both directions. No connection is closed. */
  | 'black-hole'
  /** Requests reach the server, and each answer is lost: the connection is reset when it arrives. */
  | 'lost-answers'
  /** Each answer ends in the middle. */
  | 'truncated';

export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** Sets the fault of existing and of new connections. */
  set(fault: Fault): void;
  /** The next writes reach the server, and their answers are lost. */
  loseWriteAnswers(count: number): void;
  /** The next write does not reach the server. When `work` is done, its connection is reset. */
  insteadOfWrite(work: () => Promise<unknown>): void;
  /** The next requests get this answer (of HTTP/1.1) and do not reach the server. */
  answer(count: number, status: string, headers?: string): void;
  /** Sends these bytes to every connected client, then RST. */
  writeAndReset(text: string): void;
  /** Sends RST on every open connection. */
  resetAll(): void;
  /** The client is not notified that the server's side of each connection is closed. */
  halfOpen(): void;
}

/** The next faults, and how often each still occurs. */
interface Plan {
  fault: Fault;
  lostWrites: number;
  insteadOfWrite: (() => Promise<unknown>) | undefined;
  answers: number;
  text: string;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isWrite: boolean;
}

export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const plan: Plan = { fault: 'none', lostWrites: 0, insteadOfWrite: undefined, answers: 0, text: '' };
  const pairs = new Set<Pair>();
  const proxy = createServer((client) => join(client, connect(targetPort, '127.0.0.1'), { plan, pairs }));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    set: (fault) => void (plan.fault = fault),
    loseWriteAnswers: (count) => void (plan.lostWrites = count),
    insteadOfWrite: (work) => void (plan.insteadOfWrite = work),
    answer(count, status, headers = '') {
      plan.answers = count;
      plan.text = `HTTP/1.1 ${status}\r\n${headers}content-length: 2\r\n\r\n{}`;
    },
    writeAndReset(text) {
      for (const { client } of pairs)
        client.write(text, () => setTimeout(() => client.resetAndDestroy(), 50));
    },
    resetAll() {
      for (const { client } of pairs) client.resetAndDestroy();
    },
    halfOpen() {
      for (const pair of pairs) {
        pairs.delete(pair);
        pair.server.removeAllListeners('data');
        pair.server.resetAndDestroy();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { client } of pairs) client.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

function join(client: Socket, server: Socket, { plan, pairs }: { plan: Plan; pairs: Set<Pair> }): void {
  const pair = { client, server, isWrite: false };
  pairs.add(pair);
  client.on('error', () => undefined);
  server.on('error', () => pairs.has(pair) && client.resetAndDestroy());
  client.on('data', (bytes: Buffer) => forward(plan, bytes, pair));
  server.on('data', (bytes: Buffer) => giveBack(plan, bytes, pair));
  client.on('close', () => {
    pairs.delete(pair);
    server.destroy();
  });
  server.on('close', () => pairs.has(pair) && client.end());
}

function forward(plan: Plan, bytes: Buffer, pair: Pair): void {
  const method = /^(GET|POST|PUT|PATCH|DELETE) /.exec(bytes.toString('latin1', 0, 8))?.[1];
  if (method !== undefined) pair.isWrite = method !== 'GET';
  if (plan.fault === 'reset') return void pair.client.resetAndDestroy();
  if (plan.fault === 'black-hole') return;
  if (method !== undefined && plan.answers > 0) {
    plan.answers -= 1;
    return void pair.client.write(plan.text);
  }
  const work = method !== undefined && pair.isWrite ? plan.insteadOfWrite : undefined;
  if (work === undefined) return void pair.server.write(bytes);
  plan.insteadOfWrite = undefined;
  void work().then(() => pair.client.resetAndDestroy());
}

function giveBack(plan: Plan, bytes: Buffer, { client, isWrite }: Pair): void {
  const isLostWrite = isWrite && plan.lostWrites > 0;
  if (isLostWrite) plan.lostWrites -= 1;
  if (isLostWrite || plan.fault === 'lost-answers') return void client.resetAndDestroy();
  if (plan.fault === 'black-hole') return;
  if (plan.fault !== 'truncated') return void client.write(bytes);
  client.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => client.resetAndDestroy());
}
