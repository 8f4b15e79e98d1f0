/** Agents on a simulated clock: who asks whom, and what is left when peers break. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDigest } from '@tinkerbell/oci';
import { PeerList, SharedWalk, type Lane, type Step } from '../index.ts';

const IMAGE = readDigest(`sha256:${'1'.repeat(64)}`);
const LANES: readonly Lane[] = Array.from({ length: 6 }, (_, number) => ({ number, of: 6 }));
const TICK_MS = 10;
/** Stretches that the server's link carries in a second. */
const SERVER_PER_S = 40;
const PEER_MS = 100;
const ANSWERS_MAX = 4;

/** Two chunks in each stretch. */
const startsOf = (stretches: number): Uint32Array =>
  Uint32Array.from({ length: stretches + 1 }, (_, index) => index * 2);

function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

type Behaviour = 'honest' | 'lies' | 'silent';

interface Transfer {
  readonly step: Step & { index: number };
  readonly endMs: number;
}

class Agent {
  readonly walk: SharedWalk;
  readonly running = new Map<number, Transfer>();
  readonly address: string;
  readonly port = 2000;
  endMs = 0;
  answering = 0;
  constructor(number: number, { stretches, seed }: { stretches: number; seed: number }) {
    this.address = `192.0.2.${number + 1}`;
    this.walk = new SharedWalk(startsOf(stretches), seeded(seed * 100 + number));
  }
}

interface Rack {
  readonly agents: number;
  readonly stretches: number;
  readonly seed?: number;
  readonly behaviour?: (address: string) => Behaviour;
  /** Agents that end without a word at this time. */
  readonly diesAtMs?: (address: string) => number;
  /** Entries that nobody serves. */
  readonly flood?: number;
}

/** Returns how many stretches the server sent, and when the last agent had all. */
function simulate({ agents: count, stretches, seed = 1, flood = 0, ...given }: Rack) {
  const { behaviour = () => 'honest', diesAtMs = () => Number.POSITIVE_INFINITY } = given;
  const list = new PeerList({ secret: () => '0'.repeat(64), random: seeded(seed) });
  const agents = Array.from({ length: count }, (_, number) => new Agent(number, { stretches, seed }));
  const byAddress = new Map(agents.map((agent) => [agent.address, agent]));
  let [sent, serverFreeMs, nowMs] = [0, 0, 0];
  const isAlive = (agent: Agent): boolean => nowMs < diesAtMs(agent.address) && agent.endMs === 0;
  const fromServer = (): number => {
    sent += 1;
    serverFreeMs = Math.max(nowMs, serverFreeMs) + 1000 / SERVER_PER_S;
    return serverFreeMs;
  };
  const ask = (agent: Agent): void => {
    const have = agent.walk.have();
    const request = { image: IMAGE, port: agent.port, have, receivedBytes: 0 };
    const answer = list.ask(request, { address: agent.address, isLoopback: false, nowMs });
    if (answer !== undefined) agent.walk.heard(answer);
  };
  const finish = (agent: Agent, { step }: Transfer): Transfer | undefined => {
    if (step.kind === 'peer') {
      const peer = byAddress.get(step.peer.address);
      if (peer !== undefined) peer.answering -= 1;
      const isRight =
        peer !== undefined &&
        isAlive(peer) &&
        behaviour(peer.address) === 'honest' &&
        peer.walk.isDone(step.index);
      if (!isRight) {
        agent.walk.drop(step.peer);
        return { step: { kind: 'server', index: step.index }, endMs: fromServer() };
      }
      agent.walk.delivered(step.peer, nowMs);
    }
    agent.walk.done(step.index);
    return undefined;
  };
  const begin = (agent: Agent, lane: Lane): void => {
    const step = agent.walk.next(lane, nowMs);
    if (step.kind === 'server') agent.running.set(lane.number, { step, endMs: fromServer() });
    if (step.kind !== 'peer') return;
    const peer = byAddress.get(step.peer.address);
    if (peer !== undefined && peer.answering >= ANSWERS_MAX) {
      agent.walk.busy(step.peer, nowMs);
      return agent.walk.reopen(step.index);
    }
    if (peer !== undefined) peer.answering += 1;
    agent.running.set(lane.number, { step, endMs: nowMs + PEER_MS });
  };
  for (; agents.some(isAlive); nowMs += TICK_MS) {
    assert.ok(nowMs < 10_000_000, 'it never ends');
    if (nowMs % 1000 === 0) {
      for (let number = 0; number < flood; number += 1)
        list.ask(
          { image: IMAGE, port: 3000 + number, have: [[0, stretches * 2]], receivedBytes: 0 },
          { address: '198.51.100.1', isLoopback: false, nowMs },
        );
      for (const agent of agents.filter(isAlive)) ask(agent);
    }
    for (const agent of agents.filter(isAlive)) {
      for (const lane of LANES) {
        const transfer = agent.running.get(lane.number);
        if (transfer === undefined) begin(agent, lane);
        else if (transfer.endMs <= nowMs) {
          const again = finish(agent, transfer);
          agent.running.delete(lane.number);
          if (again !== undefined) agent.running.set(lane.number, again);
        }
      }
      const [[, all] = [0, 0]] = agent.walk.have();
      if (all === stretches * 2) agent.endMs = nowMs;
    }
  }
  return { sent, seconds: nowMs / 1000 };
}

test('eight agents load less than twice the image, in less than twice the time of one', () => {
  const alone = simulate({ agents: 1, stretches: 800 });
  assert.equal(alone.sent, 800, 'one agent loads each stretch once');
  const rack = simulate({ agents: 8, stretches: 800 });
  assert.ok(rack.sent < 1.5 * 800, `${rack.sent} stretches`);
  assert.ok(rack.seconds < 2 * alone.seconds, `${rack.seconds} s, and ${alone.seconds} s alone`);
});

test('whatever peers do, every agent ends, and asks the server for no stretch twice', () => {
  fc.assert(
    fc.property(
      fc.record({
        agents: fc.integer({ min: 1, max: 8 }),
        stretches: fc.integer({ min: 1, max: 120 }),
        seed: fc.nat({ max: 10_000 }),
        bad: fc.array(fc.constantFrom<Behaviour>('lies', 'silent', 'honest'), { minLength: 8, maxLength: 8 }),
        dies: fc.array(fc.option(fc.nat({ max: 20_000 })), { minLength: 8, maxLength: 8 }),
        flood: fc.nat({ max: 40 }),
      }),
      ({ agents, stretches, seed, bad, dies, flood }) => {
        const numberOf = (address: string): number => Number(address.split('.')[3]) - 1;
        const { sent } = simulate({
          agents,
          stretches,
          seed,
          flood,
          behaviour: (address) => bad[numberOf(address)] ?? 'honest',
          diesAtMs: (address) => dies[numberOf(address)] ?? Number.POSITIVE_INFINITY,
        });
        assert.ok(sent <= agents * stretches, `${sent} of ${agents} x ${stretches}`);
      },
    ),
    { numRuns: 60 },
  );
});

test('peers that promise everything and send nothing delay an agent by seconds only', () => {
  const alone = simulate({ agents: 1, stretches: 400 });
  const flooded = simulate({ agents: 1, stretches: 400, flood: 16 });
  assert.equal(flooded.sent, 400);
  assert.ok(flooded.seconds <= alone.seconds + 5, `${flooded.seconds} s, and ${alone.seconds} s alone`);
});

test('a peer is asked for two stretches at once, and after an address was wrong three times it is not asked', () => {
  const walk = new SharedWalk(startsOf(40), () => 0);
  const offer = (port: number) => ({ address: '192.0.2.9', port, have: [[0, 80] as const] });
  const heard = (...ports: number[]): void =>
    walk.heard({ place: 0, secret: '', peers: ports.map((port) => offer(port)) });
  heard(2001);
  const kinds = LANES.slice(3).map((lane) => walk.next(lane, 0).kind);
  assert.deepEqual(kinds, ['peer', 'peer', 'wait']);
  for (const port of [2002, 2003, 2004]) {
    heard(port);
    const step = walk.next({ number: 4, of: 6 }, 0);
    assert.ok(step.kind === 'peer' && step.peer.port === port);
    walk.drop(step.peer);
  }
  heard(2005);
  assert.equal(walk.next({ number: 4, of: 6 }, 0).kind, 'server');
});

test('a peer whose two requests fail counts once against its address', () => {
  const walk = new SharedWalk(startsOf(40), () => 0);
  const heard = (port: number): void =>
    walk.heard({ place: 0, secret: '', peers: [{ address: '192.0.2.9', port, have: [[0, 80]] }] });
  for (const port of [2001, 2002]) {
    heard(port);
    const steps = [4, 5].map((number) => walk.next({ number, of: 6 }, 0));
    for (const step of steps) {
      assert.ok(step.kind === 'peer' && step.peer.port === port);
      walk.drop(step.peer);
    }
  }
  heard(2003);
  assert.equal(walk.next({ number: 4, of: 6 }, 0).kind, 'peer');
});

test('an agent begins at its place, and only what the disk has is offered', () => {
  const walk = new SharedWalk(startsOf(10), () => 0);
  walk.heard({ place: 0.5, secret: '', peers: [] });
  const first = walk.next({ number: 0, of: 6 }, 0);
  assert.deepEqual(first, { kind: 'server', index: 5 });
  assert.deepEqual(walk.have(), []);
  walk.done(5);
  assert.deepEqual(walk.have(), [[10, 2]]);
  walk.heard({ place: 0, secret: '', peers: [] });
  assert.deepEqual(walk.next({ number: 1, of: 6 }, 0), { kind: 'server', index: 6 });
});

test('a request also takes what follows in the walk, but nothing that a peer may send', () => {
  const walk = new SharedWalk(startsOf(6), () => 0);
  walk.heard({ place: 0.5, secret: '', peers: [] });
  const [lane, other] = LANES;
  assert.ok(lane !== undefined && other !== undefined);
  assert.deepEqual(walk.next(lane, 0), { kind: 'server', index: 3 });
  assert.ok(walk.takeAlso(4));
  assert.ok(!walk.takeAlso(4), 'it is taken');
  assert.deepEqual(walk.next(other, 0), { kind: 'server', index: 5 });
  assert.ok(!walk.takeAlso(6), 'the image has no such stretch');
  assert.deepEqual(walk.next(lane, 0), { kind: 'server', index: 0 });
  walk.heard({ place: 0, secret: '', peers: [{ address: '192.0.2.9', port: 2000, have: [] }] });
  assert.ok(!walk.takeAlso(1), 'the peer may have it soon');
  walk.heard({ place: 0, secret: '', peers: [] });
  assert.ok(walk.takeAlso(1));
  for (const index of [0, 1, 3, 4, 5]) walk.done(index);
  assert.deepEqual(walk.next(lane, 0), { kind: 'server', index: 2 });
  assert.deepEqual(walk.next(lane, 0), { kind: 'end' });
});

test('what a proven peer has is left to it, until it is silent', () => {
  const walk = new SharedWalk(startsOf(4), () => 0);
  walk.heard({ place: 0, secret: '', peers: [{ address: '192.0.2.9', port: 2000, have: [[0, 6]] }] });
  const step = walk.next({ number: 5, of: 6 }, 0);
  assert.ok(step.kind === 'peer' && step.index === 0);
  walk.delivered(step.peer, 0);
  walk.done(0);
  assert.deepEqual(walk.next({ number: 0, of: 6 }, 10), { kind: 'server', index: 3 });
  walk.busy(step.peer, 10);
  assert.deepEqual(walk.next({ number: 0, of: 6 }, 20), { kind: 'wait' });
  assert.deepEqual(walk.next({ number: 0, of: 6 }, 4000), { kind: 'server', index: 1 });
});

test('the more peers have something, the fewer lanes ask the server, and where peers have all, it continues anywhere', () => {
  const kindsWith = (peers: number): string => {
    const walk = new SharedWalk(startsOf(40), () => 0.5);
    const offers = Array.from({ length: peers }, (_, at) => ({
      address: `192.0.2.${at}`,
      port: 2000,
      have: [[20, 2] as const],
    }));
    walk.heard({ place: 0, secret: '', peers: offers });
    return LANES.map((lane) => walk.next(lane, 0).kind).join(' ');
  };
  assert.equal(kindsWith(0), 'server server server server server server');
  assert.equal(kindsWith(1), 'server server server peer wait wait');
  assert.equal(kindsWith(7), 'server peer wait wait wait wait');
  const walk = new SharedWalk(startsOf(10), () => 0.5);
  walk.heard({
    place: 0,
    secret: '',
    peers: [{ address: '192.0.2.9', port: 2000, have: [[0, 10]] }],
  });
  const step = walk.next({ number: 5, of: 6 }, 0);
  assert.ok(step.kind === 'peer');
  walk.delivered(step.peer, 0);
  assert.deepEqual(walk.next({ number: 0, of: 6 }, 0), { kind: 'server', index: 7 });
});

test('while peers send, one idle lane at a time asks the server', () => {
  const walk = new SharedWalk(startsOf(10), () => 0);
  walk.heard({ place: 0, secret: '', peers: [{ address: '192.0.2.9', port: 2000, have: [[0, 20]] }] });
  const step = walk.next({ number: 5, of: 6 }, 3000);
  assert.ok(step.kind === 'peer');
  walk.delivered(step.peer, 3000);
  walk.busy(step.peer, 4900);
  const kindsAt = (nowMs: number) => [3, 4].map((number) => walk.next({ number, of: 6 }, nowMs).kind);
  assert.deepEqual(kindsAt(3000), ['wait', 'wait']);
  assert.deepEqual(kindsAt(4499), ['wait', 'wait']);
  assert.deepEqual(kindsAt(4500), ['server', 'wait']);
});
