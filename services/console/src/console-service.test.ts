import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeFiles, nodeRandom } from '@tinkerbell/platform-node';
import { createConsoleService } from './console-service.ts';
import { createOneTimeLinks, LINK_MS } from './one-time-links.ts';
import { createSessions, SESSION_SECONDS } from './sessions.ts';

const HOST = 'http://boot.test:7080';
const context = {
  peer: { address: '192.0.2.1', port: 1 },
  localAddress: '192.0.2.2',
  signal: AbortSignal.any([]),
};

function scene() {
  const directory = mkdtempSync(join(tmpdir(), 'console-service-'));
  let nowMs = 1_000_000;
  const clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule: () => () => undefined,
  };
  const reversed = (text: string): string => text.split('').toReversed().join('');
  const seal = {
    seal: (text: string) => Buffer.from(reversed(text)).toString('base64url'),
    open: (text: string) => reversed(Buffer.from(text, 'base64url').toString()),
  };
  const sessions = createSessions({ seal, clock });
  const links = createOneTimeLinks({ clock, random: nodeRandom });
  const service = createConsoleService(
    {
      sessions,
      links,
      files: nodeFiles,
      localToken: 'local',
      version: '1',
      services: ['api'],
      authenticator: {
        authenticate: ({ authorization }) =>
          Promise.resolve(
            authorization === 'Bearer wrong'
              ? { ok: false, message: 'the token is invalid' }
              : { ok: true, user: { name: authorization ?? '', groups: [] } },
          ),
      },
    },
    { directory },
  );
  return {
    directory,
    links,
    sessions,
    advance: (ms: number) => void (nowMs += ms),
    async ask(path: string, init: RequestInit = {}): Promise<Response> {
      const response = await service.routes[0]!.handle(new Request(`${HOST}${path}`, init), context);
      assert.ok(response);
      return response;
    },
    declines: async (path: string) =>
      (await service.routes[0]!.handle(new Request(`${HOST}${path}`), context)) === undefined,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

const own = { origin: HOST, 'x-tinkerbell-console': '1' };
const signIn = (body: object, headers: Record<string, string> = own): RequestInit => ({
  method: 'POST',
  headers,
  body: JSON.stringify(body),
});
const cookieOf = (response: Response): string => response.headers.get('set-cookie')?.split(';')[0] ?? '';
function requestWith(cookie: string, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers);
  headers.set('cookie', cookie);
  return new Request(`${HOST}/api`, { ...init, headers });
}

test('a session counts as its token, and ends after twelve hours', async () => {
  using site = scene();
  const answer = await site.ask('/console/session', signIn({ token: ' abc ' }));
  assert.match(
    answer.headers.get('set-cookie') ?? '',
    /; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  const cookie = cookieOf(answer);
  assert.deepEqual(site.sessions.credentialOf(requestWith(cookie)), { authorization: 'Bearer abc' });
  assert.equal(site.sessions.credentialOf(new Request(HOST)), undefined);
  site.advance(SESSION_SECONDS * 1000);
  assert.deepEqual(site.sessions.credentialOf(requestWith(cookie)), {
    refused: 'the session has ended; sign in again',
  });
});

test('a cookie over https is for https only', async () => {
  using site = scene();
  const headers = { ...own, origin: HOST.replace('http:', 'https:') };
  const answer = await site.ask('/console/session', signIn({ token: 'abc' }, headers));
  assert.match(answer.headers.get('set-cookie') ?? '', /; Secure$/);
});

test('other pages cannot use the cookie', async () => {
  using site = scene();
  const cookie = cookieOf(await site.ask('/console/session', signIn({ token: 'abc' })));
  const refused = (init: RequestInit): boolean =>
    'refused' in (site.sessions.credentialOf(requestWith(cookie, init)) ?? {});
  assert.equal(refused({ headers: { 'sec-fetch-site': 'same-site' } }), true, 'another port of the host');
  assert.equal(refused({ headers: { 'sec-fetch-site': 'cross-site' } }), true);
  assert.equal(refused({ headers: { origin: 'http://boot.test' } }), true);
  assert.equal(refused({ headers: { upgrade: 'websocket' } }), true, 'a WebSocket without an Origin');
  assert.equal(refused({ headers: { upgrade: 'websocket', origin: HOST } }), false);
  assert.equal(refused({ method: 'POST' }), true);
  assert.equal(refused({ method: 'POST', headers: { origin: HOST } }), true, 'a form');
  assert.equal(refused({ method: 'POST', headers: own }), false);
  assert.equal((await site.ask('/console/session', signIn({ token: 'abc' }, {}))).status, 403);
});

test('a link signs in once, within 15 minutes', async () => {
  using site = scene();
  const [first, second] = [site.links.create(), site.links.create()];
  assert.equal((await site.ask('/console/session', signIn({ link: first }))).status, 200);
  assert.equal((await site.ask('/console/session', signIn({ link: first }))).status, 401);
  site.advance(LINK_MS);
  assert.equal((await site.ask('/console/session', signIn({ link: second }))).status, 401);
});

test('bad sign-ins say why', async () => {
  using site = scene();
  const wrong = await site.ask('/console/session', signIn({ token: 'wrong' }));
  assert.deepEqual([wrong.status, await wrong.json()], [401, { message: 'the token is invalid' }]);
  const long = await site.ask('/console/session', signIn({ token: 'x'.repeat(4000) }));
  assert.match(await long.text(), /too long for a cookie/);
  assert.equal((await site.ask('/console/session', { method: 'POST', headers: own, body: '[' })).status, 400);
  assert.equal((await site.ask('/console/session', signIn({ oidc: true }))).status, 404);
  assert.equal((await site.ask('/console/session', signIn({ returned: 'x', kept: 'y' }))).status, 401);
});

test('without a build, a page says how to build it', async () => {
  using site = scene();
  const answer = await site.ask('/console/');
  assert.deepEqual([answer.status, /npm run setup/.test(await answer.text())], [503, true]);
});

test('built files have tags, encodings and caching', async () => {
  using site = scene();
  mkdirSync(join(site.directory, 'assets'));
  const files = {
    'index.html': { tag: 'page', encodings: [] },
    'assets/a-1.js': { tag: 'script', encodings: ['br', 'gzip'] },
  };
  writeFileSync(join(site.directory, 'files.json'), JSON.stringify({ files }));
  writeFileSync(join(site.directory, 'index.html'), '<p>');
  writeFileSync(join(site.directory, 'assets/a-1.js.br'), 'packed');
  const page = await site.ask('/console/machines/default/m1.lab');
  assert.deepEqual([page.headers.get('etag'), await page.text()], ['"page"', '<p>']);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'; style-src 'self'/);
  const script = await site.ask('/console/assets/a-1.js', { headers: { 'accept-encoding': 'gzip, br' } });
  assert.deepEqual(
    ['etag', 'content-encoding', 'content-type', 'cache-control'].map((name) => script.headers.get(name)),
    ['"script-br"', 'br', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  );
  const same = await site.ask('/console/', { headers: { 'if-none-match': 'W/"page"' } });
  assert.equal(same.status, 304);
  assert.equal((await site.ask('/console/assets/old.js')).status, 404);
  assert.equal((await site.ask('/console', {})).headers.get('location'), '/console/');
  assert.equal(await site.declines('/consoles/default/m1'), true);
});
