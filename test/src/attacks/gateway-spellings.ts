/**
 * Sends header fields and paths that two programs could interpret differently through the gateway, and
 * beginnings cut into packets.
 */
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack, AttackTarget } from './attack.ts';

const SIGNS = "!#$%&'*+-.^_`|~".split('');
const SLASHES = [
  '%2F',
  '%2f',
  '%5C',
  '%5c',
  '\\',
  '%252F',
  '%255C',
  '%255c',
  '%25255C',
  '%c0%af',
  '%C1%9C',
  '%00',
];
const DOTS = ['..', '%2e%2e', '.%2E', '%252e%252e', '%25%32%65.', '..;', '..;a=b', '.%00.'];
const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'PROPFIND', 'PRI', 'P', 'PURGE', 'PR', 'OPTIONS'];
const OWN = ['x-user', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'x-forwarded-host', 'forwarded'];
const ANSWER_WITHIN_MS = 15_000;

export const gatewaySpellings: Attack = {
  name: 'gateway-spellings',
  sends: 'request',
  async once(target, choice) {
    switch (choice.below(3)) {
      case 0:
        return hiddenPath(target, choice);
      case 1:
        return spelledField(target, choice);
      default:
        return cutBeginning(target, choice);
    }
  },
};

/** A path that hides a separator is refused, over both protocols. */
async function hiddenPath(target: AttackTarget, choice: SeededChoice): Promise<void> {
  const start = choice.of(['/', '/images/', '/api/v1/', '/healthz/', '/a/b/']);
  const path =
    start +
    choice.of([
      `a${choice.of(SLASHES)}b`,
      `${choice.of(DOTS)}/api/v1/secrets`,
      `${choice.of(DOTS)}${choice.of(SLASHES)}api`,
      `x/${choice.of(DOTS)}/${choice.of(DOTS)}/api`,
    ]);
  const status = choice.once(2)
    ? await overHttp1(target, `GET ${path}`, '')
    : await overHttp2(target, { ':path': path });
  // 0: the connection ended without an answer.
  if (![0, 400, 404, 429, 503].includes(status)) throw new Error(`${path} is answered with ${status}`);
}

/** The gateway answers every spelling of a name, and never with an error of its own. */
async function spelledField(target: AttackTarget, choice: SeededChoice): Promise<void> {
  const name = choice.of(OWN).replaceAll('-', () => choice.of(SIGNS));
  const value = choice.of(['root', '127.0.0.1', 'https', 'for=127.0.0.1', '']);
  const status = choice.once(2)
    ? await overHttp1(
        target,
        'GET /api/v1/secrets',
        `${choice.once(2) ? name.toUpperCase() : name}: ${value}\r\n`,
      )
    : await overHttp2(target, { ':path': '/api/v1/secrets', [name]: value });
  if (status === 200) throw new Error(`secrets are sent to who sends ${name}: ${value}`);
  if (status === 500) throw new Error(`${name}: ${value} is answered with 500`);
}

/**
 * A request that begins like the preface of HTTP/2 is still one of HTTP/1.1, whatever packets it arrives in.
 */
async function cutBeginning(target: AttackTarget, choice: SeededChoice): Promise<void> {
  const method = choice.of(METHODS);
  const text = `${method} /none-${choice.below(1000)} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  const cuts = Array.from({ length: choice.below(4) }, () => choice.below(20)).toSorted((a, b) => a - b);
  const parts = [0, ...cuts].map((cut, index) => text.slice(cut, [...cuts, text.length][index]));
  const answer = await raw(target, parts, choice.below(3));
  if (!answer.startsWith('HTTP/1.1 '))
    throw new Error(
      `${method} in ${parts.length} packets is answered with ${JSON.stringify(answer.slice(0, 40))}`,
    );
}

async function overHttp1(target: AttackTarget, line: string, fields: string): Promise<number> {
  const head = `${line} HTTP/1.1\r\nHost: a\r\n${fields}Connection: close\r\n\r\n`;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await raw(target, [head], 0))?.[1] ?? 0);
}

async function raw({ gatewayUrl }: AttackTarget, parts: readonly string[], pauseMs: number): Promise<string> {
  const { hostname, port } = new URL(gatewayUrl);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const chunks: Uint8Array[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined).on('data', (chunk: Uint8Array) => void chunks.push(chunk));
  for (const part of parts) {
    if (part !== '') socket.write(part, 'latin1');
    if (pauseMs > 0) await delay(pauseMs);
  }
  await Promise.race([closed, delay(ANSWER_WITHIN_MS, undefined, { ref: false })]);
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}

async function overHttp2({ gatewayUrl }: AttackTarget, headers: Record<string, string>): Promise<number> {
  const session = connectHttp2(gatewayUrl).on('error', () => undefined);
  try {
    return await new Promise<number>((resolve) => {
      const stream = session.request({ ':authority': 'a', ...headers });
      stream.on('response', (head) => resolve(Number(head[':status'])));
      stream
        .on('error', () => resolve(0))
        .on('close', () => resolve(0))
        .resume();
      session.on('close', () => resolve(0));
    });
  } catch {
    // Node's own client refuses some names.
    return 0;
  } finally {
    session.destroy();
  }
}
