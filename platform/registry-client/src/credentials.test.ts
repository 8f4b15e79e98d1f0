/** Where credentials and tokens are sent, and where not. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  clientFor,
  pullLayer,
  scriptedRegistry,
  serveFiles,
  smallImage,
  type ScriptedRegistry,
} from './testing/scripted-registry.ts';

const HANGS = { timeout: 60_000 };
const LAYER = Buffer.from('layer');
const BASIC = `Basic ${Buffer.from('user:secret').toString('base64')}`;

/** A registry that wants a token, which its token server issues for `user:secret`. */
async function tokenRegistry(context: TestContext, realm?: string): Promise<ScriptedRegistry> {
  const files = serveFiles(smallImage(LAYER).files);
  const registry: ScriptedRegistry = await scriptedRegistry(context, (incoming, outgoing) => {
    const { authorization } = incoming.headers;
    if (incoming.url?.startsWith('/token?')) {
      if (authorization !== BASIC) return outgoing.writeHead(401).end();
      return outgoing.end(JSON.stringify({ access_token: 'good-token' }));
    }
    if (authorization === 'Bearer good-token') return files(incoming, outgoing);
    const challenge = `Bearer realm="${realm ?? `http://${registry.host}/token`}",service="s"`;
    outgoing.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  return registry;
}

const loginOf = (registry: string) => [{ registry, username: 'user', password: 'secret' }];

test(
  'a token is requested once with the credentials, for pulling this repository only',
  HANGS,
  async (context) => {
    const { host, asked } = await tokenRegistry(context);
    const client = clientFor({ plainHttp: [host], credentials: loginOf(host) });
    assert.ok(LAYER.equals(await pullLayer(client, host)));
    const tokens = asked.filter(({ url }) => url.startsWith('/token'));
    assert.deepEqual(
      tokens.map(({ url }) => url),
      ['/token?service=s&scope=repository%3Aa%3Apull'],
    );
    const withPassword = asked.filter(({ authorization }) => authorization === BASIC);
    assert.equal(withPassword.length, 1, 'the password goes to the token server only');
  },
);

test('credentials of another registry are not used', HANGS, async (context) => {
  const { host, asked } = await tokenRegistry(context);
  const client = clientFor({ plainHttp: [host], credentials: loginOf('quay.io') });
  await assert.rejects(pullLayer(client, host), /cannot get a token from .* status 401/);
  assert.ok(asked.every(({ authorization }) => authorization === undefined));
});

for (const realm of ['ftp://x/', '', 'javascript:1', 'token'])
  test(`the token server "${realm}" is refused`, HANGS, async (context) => {
    const { host } = await tokenRegistry(context, realm);
    const client = clientFor({ plainHttp: [host], credentials: loginOf(host) });
    await assert.rejects(pullLayer(client, host), /its token server ".*" does not use https/);
  });

test('a redirect to another host carries nothing, and its challenge gets nothing', HANGS, async (context) => {
  const { files, layer } = smallImage(LAYER);
  const store = await scriptedRegistry(context, (_, outgoing) => {
    const realm = `http://${store.host}/token`;
    outgoing.writeHead(401, { 'www-authenticate': `Basic realm="x", Bearer realm="${realm}"` }).end();
  });
  const own = serveFiles(files);
  const { host } = await scriptedRegistry(context, (incoming, outgoing) => {
    if (incoming.headers.authorization !== BASIC)
      return outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    if (!incoming.url?.endsWith(layer.digest)) return own(incoming, outgoing);
    outgoing.writeHead(307, { location: `http://${store.host}/stored` }).end();
  });
  const client = clientFor({ plainHttp: [host], credentials: loginOf(host) });
  await assert.rejects(pullLayer(client, host), /status 401/);
  assert.ok(store.asked.length > 0);
  assert.deepEqual([...new Set(store.asked.map(({ url }) => url))], ['/stored']);
  assert.ok(store.asked.every(({ authorization }) => authorization === undefined));
});

test(
  'mirrors are asked first, and the registry itself last, with its own credentials only',
  HANGS,
  async (context) => {
    const empty = await scriptedRegistry(context, serveFiles(new Map()));
    const full = await scriptedRegistry(context, serveFiles(smallImage(LAYER).files, 'mirror/x/a'));
    const named = await tokenRegistry(context);
    const mirrors = { [named.host]: [`http://${empty.host}`, `http://${full.host}/v2/mirror/x`] };
    const settings = { mirrors, plainHttp: [named.host], credentials: loginOf(named.host) };
    assert.ok(LAYER.equals(await pullLayer(clientFor(settings), named.host)));
    assert.equal(empty.asked.length, 1);
    assert.deepEqual(named.asked, []);
    assert.ok([...empty.asked, ...full.asked].every(({ authorization }) => authorization === undefined));
    const onlyEmpty = { ...settings, mirrors: { [named.host]: [`http://${empty.host}`] } };
    assert.ok(LAYER.equals(await pullLayer(clientFor(onlyEmpty), named.host)));
  },
);
