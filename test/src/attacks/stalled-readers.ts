/**
 * Clients that request much and read nothing: watches, timelines, lists, pipelined answers, bodies through
 * the gateway.
 */
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack, AttackTarget } from './attack.ts';

const COLLECTION = '/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware';
const LARGE = 900_000;
/** The requests of one act. Acts run side by side. */
const CLIENTS_MAX = 60;
const STALLED_MS_MAX = 3000;

/** The streams that an act has opened and does not read. */
type Clients = { leave(): void }[];

const PATHS = [
  `${COLLECTION}?watch=true`,
  `${COLLECTION}?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
  `${COLLECTION}?watch=true&labelSelector=stalled%3Dyes`,
  `${COLLECTION}?watch=true&resourceVersion=1`,
  COLLECTION,
  `${COLLECTION}?limit=10000`,
  `${COLLECTION}/stalled-0/timeline?watch=true`,
  `${COLLECTION}/stalled-0/timeline`,
  '/openapi/v2',
  '/metrics',
];

export const stalledReaders: Attack = {
  name: 'stalled-readers',
  sends: 'stream',
  async once(target, choice) {
    const clients: Clients = [];
    try {
      await choice.of([stalledFetches, pipelined, stalledStreams])(target, choice, clients);
      for (let rounds = choice.below(4); rounds > 0; rounds -= 1) await grow(target, choice);
      await readSome(target, choice);
      await delay(choice.below(STALLED_MS_MAX));
    } finally {
      for (const client of clients) client.leave();
    }
  },
};

/** Enlarges the data that the others do not read, and changes it often. */
async function grow(target: AttackTarget, choice: SeededChoice): Promise<void> {
  const name = `stalled-${choice.below(8)}`;
  const metadata = {
    name,
    labels: { stalled: choice.of(['yes', 'no']) },
    annotations: { filling: choice.of(['x', 'é']).repeat(choice.of([10, 20_000, LARGE / 2])) },
  };
  const object = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', metadata, spec: {} };
  const created = await target.send('editor', COLLECTION, jsonRequest('POST', object));
  await created.body?.cancel();
  for (let round = 0; round < 1 + choice.below(5); round += 1) {
    const patch = { metadata: { annotations: { round: String(choice.below(1e9)) } } };
    const request = jsonRequest('PATCH', patch, 'application/merge-patch+json');
    const patched = await target.send('editor', `${COLLECTION}/${name}`, request);
    await patched.body?.cancel();
  }
}

function jsonRequest(method: string, body: object, type = 'application/json'): RequestInit {
  return { method, headers: { 'content-type': type }, body: JSON.stringify(body) };
}

/** Sends a request with the credential of a user who may read, and leaves the body unread. */
async function stalledFetches(target: AttackTarget, choice: SeededChoice, clients: Clients): Promise<void> {
  const path = choice.of(PATHS);
  for (let client = 0; client < 1 + choice.below(CLIENTS_MAX); client += 1) {
    const leaving = new AbortController();
    const answer = await target.send(choice.of(['viewer', 'editor']), path, { signal: leaving.signal });
    // Held here, because the collector would end it.
    clients.push({
      leave() {
        leaving.abort();
        answer.body?.cancel().catch(() => undefined);
      },
    });
  }
}

/** One connection with many requests whose answers are not read. It needs no credential. */
async function pipelined(
  { url, gatewayUrl }: AttackTarget,
  choice: SeededChoice,
  clients: Clients,
): Promise<void> {
  const origin = choice.of([url, gatewayUrl]);
  const socket = await opened(origin);
  socket.pause();
  const { host } = new URL(origin);
  const path = choice.of([...PATHS, '/healthz', '/']);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  socket.write(request.repeat(1 + choice.below(200)));
  clients.push({ leave: () => socket.destroy() });
  await delay(choice.below(20));
}

async function opened(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Streams of one HTTP/2 connection through the gateway whose windows stay closed. */
async function stalledStreams(
  { gatewayUrl }: AttackTarget,
  choice: SeededChoice,
  clients: Clients,
): Promise<void> {
  const session = connectHttp2(gatewayUrl, { settings: { initialWindowSize: choice.of([0, 1, 65_535]) } });
  session.on('error', () => undefined);
  const path = choice.of(PATHS);
  for (let count = 0; count < 1 + choice.below(100); count += 1) {
    const stream = session.request({
      ':path': path,
      'content-type': choice.of(['text/plain', 'application/grpc']),
    });
    stream.on('error', () => undefined).pause();
    if (choice.once(4)) stream.close(constants.NGHTTP2_CANCEL);
  }
  clients.push({ leave: () => session.destroy() });
  await delay(choice.below(20));
}

/**
 * A client beside them that reads gets whole answers: a list is JSON to its end, and a watch begins with an
 * event.
 */
async function readSome(target: AttackTarget, choice: SeededChoice): Promise<void> {
  if (choice.once(2)) {
    const answer = await target.send('viewer', COLLECTION);
    const { items } = (await answer.json()) as { readonly items?: unknown };
    if (answer.status === 200 && !Array.isArray(items)) throw new Error('a list has no items');
    return;
  }
  const leaving = new AbortController();
  const answer = await target.send('viewer', `${COLLECTION}?watch=true`, { signal: leaving.signal });
  try {
    if (answer.status !== 200 || answer.body === null) return;
    const first = await Promise.race([answer.body.getReader().read(), delay(2000)]);
    if (first !== undefined && first.value !== undefined && !startsEvent(first.value))
      throw new Error('a watch does not begin with an event');
  } finally {
    leaving.abort();
  }
}

function startsEvent(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, 9)) === '{"type":"';
}
