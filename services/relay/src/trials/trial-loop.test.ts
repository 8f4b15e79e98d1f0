import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Log, NetworkTrial } from '@tinkerbell/platform-contract';
import { createNodeHttpClient, nodeClock } from '@tinkerbell/platform-node';
import { ipv4, type Ipv4 } from '@tinkerbell/wire';
import { CALL_MS_MAX, runTrials } from './trial-loop.ts';

const tftp = { name: 'TFTP', asks: 'tftp', port: 69 } as const;
const limits = {
  servers: [{ address: ipv4('10.0.0.1') }],
  networks: [{ address: ipv4('192.0.2.1'), netmask: ipv4('255.255.255.0') }],
};

type Answer = (call: { readonly body: unknown; readonly token: string }) => readonly [number, string];

/** Runs a relay against a server that gives these answers in turn, until it has given the last one. */
async function relayWith(answers: readonly Answer[]) {
  const stopping = new AbortController();
  const [tried, logged]: [(readonly [NetworkTrial, Ipv4])[], string[]] = [[], []];
  const write = (message: string, fields?: object) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug() {}, info: write, warn: write, error: write, child: () => log };
  let calls = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const answer = answers[calls];
    calls += 1;
    const token = request.headers.authorization ?? '';
    const [status, body] = answer?.({ body: JSON.parse(text), token }) ?? [500, ''];
    response.writeHead(status).end(body, () => calls === answers.length && stopping.abort());
  };
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${Object(server.address()).port}`;
  let tokens = 0;
  const deps = {
    // Only pauses are shortened: the limit of a call must not end it.
    clock: {
      ...nodeClock,
      schedule: (ms: number, task: () => void) => nodeClock.schedule(ms === CALL_MS_MAX ? ms : 0, task),
    },
    httpClient: createNodeHttpClient(),
    log,
    tryNetwork: (trial: NetworkTrial, from: Ipv4) => {
      tried.push([trial, from]);
      const ports = trial.ports.map((port) => ({ ...port, outcome: 'silent', reason: 'nothing' }) as const);
      return Promise.resolve({ ports, holders: new Map([['192.0.2.9', {}]]) });
    },
  };
  const readToken = () => Promise.resolve(`token-${(tokens += 1)}`);
  await runTrials(deps, { ...limits, apiUrl, readToken }, stopping.signal);
  server.close();
  return { tried, logged };
}

const orders = (...hosts: readonly string[]): string =>
  JSON.stringify({
    orders: hosts.map((host, at) => ({
      id: `o${at}`,
      host,
      ports: [tftp],
      addresses: ['192.0.2.9', '10.0.0.9'],
    })),
  });

test('a relay brings the result with its next call, and a new token is used at once', async () => {
  const calls: unknown[] = [];
  const taken =
    (text: string): Answer =>
    (call) => {
      calls.push(call);
      return [200, text];
    };
  const { tried } = await relayWith([
    taken(orders('10.0.0.1', '10.0.0.7')),
    taken('{"orders":[]}'),
    taken('{}'),
  ]);
  assert.deepEqual(tried, [[{ host: '10.0.0.1', ports: [tftp], addresses: ['192.0.2.9'] }, '192.0.2.1']]);
  const { networks } = limits;
  const reason = 'it relays to 10.0.0.1 (--relay-server), and not to 10.0.0.7';
  const answers = [
    {
      id: 'o0',
      ports: [{ ...tftp, outcome: 'silent', reason: 'nothing' }],
      holders: [{ address: '192.0.2.9' }],
    },
    { id: 'o1', ports: [{ ...tftp, outcome: 'untried', reason }], holders: [] },
  ];
  assert.deepEqual(calls, [
    { body: { networks, answers: [] }, token: 'Bearer token-1' },
    { body: { networks, answers }, token: 'Bearer token-2' },
    { body: { networks, answers: [] }, token: 'Bearer token-3' },
  ]);
});

test('an outage is logged once, and a server without limits ends nothing', async () => {
  const { tried, logged } = await relayWith([
    () => [403, '{"message":"forbidden"}'],
    () => [200, 'x'.repeat(70_000)],
    () => [200, 'no JSON'],
    () => [200, orders('10.0.0.1')],
    () => [200, '{}'],
  ]);
  assert.equal(tried.length, 1);
  assert.equal(logged.length, 2, logged.join('\n'));
  assert.match(logged[0] ?? '', /^the relay cannot take orders .*403: .*forbidden/);
  assert.match(logged[1] ?? '', /^the relay takes orders again/);
});
