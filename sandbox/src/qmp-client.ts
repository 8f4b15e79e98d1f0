/** QEMU's own control channel (QMP): one JSON object per line over a UNIX socket. */
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isRecord } from '@tinkerbell/yaml/json';

const CONNECT_ATTEMPTS = 100;
const CONNECT_WAIT_MS = 50;

export interface QmpClient {
  /** @throws Error with QEMU's own message when it refuses. */
  execute(command: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): void;
}

/** It has `return`, `error` or `event`. */
type Answer = Readonly<Record<string, unknown>>;

/** Connects, waiting up to 5 s for QEMU to open the socket, and leaves its negotiation mode. */
export async function connectQmp(path: string, onEvent?: (name: string) => void): Promise<QmpClient> {
  const socket = await connect(path);
  const waiting: ((answer: Answer) => void)[] = [];
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    const answer: unknown = JSON.parse(line);
    if (!isRecord(answer)) return;
    if (typeof answer['event'] === 'string') onEvent?.(answer['event']);
    else if ('return' in answer || 'error' in answer) waiting.shift()?.(answer);
  });
  // QEMU ends with the machine, and waiting callers see the machine's own end. The interface repeats the errors of its input.
  for (const emitter of [socket, lines]) emitter.on('error', () => undefined);
  const execute = async (command: string, args?: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const answer = await new Promise<Answer>((resolve) => {
      waiting.push(resolve);
      socket.write(`${JSON.stringify({ execute: command, ...(args && { arguments: args }) })}\n`);
    });
    const { error } = answer;
    if (isRecord(error)) throw new Error(`QEMU refuses ${command}: ${String(error['desc'])}`);
    return answer['return'];
  };
  await execute('qmp_capabilities');
  return { execute, close: () => socket.destroy() };
}

async function connect(path: string): Promise<Socket> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new Promise<Socket>((resolve, reject) => {
        const socket = createConnection(path, () => resolve(socket));
        socket.once('error', reject);
      });
    } catch (cause) {
      if (attempt === CONNECT_ATTEMPTS) throw new Error(`QEMU does not open ${path}`, { cause });
      await new Promise((resolve) => setTimeout(resolve, CONNECT_WAIT_MS));
    }
  }
}
