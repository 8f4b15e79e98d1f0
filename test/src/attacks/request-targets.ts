/** Sends spellings of request targets and Host that imitate another host or path. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Attack, AttackTarget } from './attack.ts';
import { SECRET } from './start-target.ts';

const PATHS = ['/api/v1/secrets', '/api/v1/namespaces/default/secrets/canary', '/audit', '/v1/jobs'];
const BEFORE = ['', '/', '//', '/\\', '///', '/./', '/%2e%2e/', '/images/..', '/images/%2e%2e', '/iso/../'];
const AUTHORITIES = ['', '127.0.0.1', 'localhost', '[::1]', '127.1', 'a@127.0.0.1', '127.0.0.1:7080'];
const HOSTS = [
  '127.0.0.1',
  'localhost',
  'evil.example',
  '127.0.0.1.evil.example',
  '',
  'a, b',
  '[::1]:1',
  'a@b',
  '%31',
];
const HEADERS = [
  'x-forwarded-for: 127.0.0.1',
  'forwarded: for=127.0.0.1;host=localhost',
  'x-real-ip: ::1',
  'x-original-url: /healthz',
  'x-rewrite-url: /api/v1/secrets',
  'x-forwarded-host: localhost',
  'x-http-method-override: GET',
  'impersonate-user: system:admin',
  'impersonate-group: system:masters',
  'authorization: Bearer',
  'authorization: Basic cm9vdDo=',
  'authorization: Bearer tinkerbell-local-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'x-remote-user: system:admin',
  'x-remote-group: system:masters',
];

export const requestTargets: Attack = {
  name: 'request-targets',
  sends: 'request',
  async once(target, choice) {
    const form = choice.of(['origin', 'origin', 'absolute', 'network', 'asterisk'] as const);
    const path = choice.of(BEFORE) + choice.of(PATHS).slice(choice.below(2));
    const authority = choice.of(AUTHORITIES);
    const written = {
      origin: path,
      absolute: `http://${authority}${path}`,
      network: `//${authority}${path}`,
      asterisk: '*',
    };
    const headers = Array.from({ length: choice.below(4) }, () => choice.of(HEADERS));
    const host = choice.of(HOSTS);
    const method = choice.of(['GET', 'GET', 'HEAD', 'OPTIONS', 'PROPFIND']);
    const url = choice.once(3) ? target.gatewayUrl : target.url;
    const answer = await exchange(url, [`${method} ${written[form]} HTTP/1.1`, `host: ${host}`, ...headers]);
    judge(answer, `${method} ${written[form]}, host ${host}, ${headers.join(', ')}`);
  },
};

function judge(answer: string, sent: string): void {
  const code = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
  // A secret is in base64 where the API shows it.
  for (const secret of [SECRET, Buffer.from(SECRET).toString('base64')])
    assert.ok(!answer.includes(secret), `the secret was returned to ${sent}`);
  assert.ok(!/"kind":"SecretList"/.test(answer), `secrets were listed to ${sent}`);
  assert.ok(code < 500 || code === 502, `${code} to ${sent}`);
}

async function exchange(url: AttackTarget['url'], lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer to ${lines[0]}`)));
  socket.write(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`);
  return text(socket);
}
