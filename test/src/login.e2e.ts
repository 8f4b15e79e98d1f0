/** Tests `tink login` with a real OpenID provider: people log in, stay logged in, and see what went wrong. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { visit, type Visitor } from './access/browser.ts';
import { startIdentityProvider, type IdentityProvider } from './access/identity-provider.ts';
import { startServer, type ServerChild } from './start-server.ts';

const ANN: Visitor = { login: 'ann' };
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-login-'));
const main = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
let provider: IdentityProvider;
let brief: IdentityProvider;
let server: ServerChild;
let guests: ServerChild;

/** Runs the program. `config` names its own configuration file. */
class Tink {
  said = '';
  readonly #child;
  readonly #ended;
  constructor(config: string, words: readonly string[], preload: readonly string[] = []) {
    const env = { ...process.env, TINK_CONFIG: join(folder, config), TINK_SERVER: '', TINK_TOKEN: '' };
    this.#child = spawn(process.execPath, [...preload, main, ...words], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
        this.#child.emit('said');
      });
  }
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.said);
      if (found !== null) return found[1] ?? found[0];
      if (this.#child.exitCode !== null) throw new Error(`ended without ${String(pattern)}:\n${this.said}`);
      await Promise.race([once(this.#child, 'said'), this.#ended]);
    }
  }
  async code(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}

async function tink(config: string, ...words: readonly string[]): Promise<Tink> {
  const run = new Tink(config, words);
  await run.code();
  return run;
}

async function loggedIn(config: string, who: Visitor, ...words: readonly string[]): Promise<Tink> {
  const run = new Tink(config, ['login', '--no-browser', ...words]);
  await visit(await run.until(/^(http\S+\/auth\?\S+)$/m), who);
  await run.code();
  return run;
}

function configText(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function flagsFor({ issuer }: IdentityProvider): readonly string[] {
  return [`--oidc-issuer-url=${issuer}`, '--oidc-client-id=tinkerbell', '--api-anonymous=none'];
}

before(async () => {
  provider = await startIdentityProvider();
  brief = await startIdentityProvider(undefined, { idToken: 2, deviceCode: 1 });
  [server, guests] = await Promise.all([
    startServer({ flags: flagsFor(provider) }),
    startServer({ flags: flagsFor(brief) }),
  ]);
});

after(async () => {
  await Promise.all([server[Symbol.asyncDispose](), guests[Symbol.asyncDispose]()]);
  await Promise.all([provider[Symbol.asyncDispose](), brief[Symbol.asyncDispose]()]);
  rmSync(folder, { recursive: true });
});

test('a person logs in with a browser, is known from then on, and is anonymous after the logout', async () => {
  const run = await loggedIn('browser', ANN, '--server', server.url);
  assert.equal(await run.code(), 0, run.said);
  assert.match(run.said, /logged in as ann/);
  assert.match(
    (await tink('browser', 'auth', 'whoami')).said,
    /user +oidc:ann\n(.*\n)*group +oidc:operators/,
  );
  assert.equal(statSync(join(folder, 'browser')).mode & 0o777, 0o600);
  const [, kept = ''] = /refreshToken: (\S+)/.exec(configText('browser')) ?? [];
  assert.notEqual(kept, '');
  assert.match((await tink('browser', 'config', 'get-contexts')).said, /login$/m);
  const logout = await tink('browser', 'logout');
  assert.equal(await logout.code(), 0, logout.said);
  assert.doesNotMatch(configText('browser'), /oken/);
  assert.match((await tink('browser', 'auth', 'whoami')).said, /requires a token/);
  const again = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'tinkerbell', refresh_token: kept }),
  });
  assert.equal(again.status, 400, 'the issuer has forgotten it, too');
});

test('a person logs in on another device', async () => {
  const run = new Tink('device', ['login', '--device', '--server', server.url]);
  await visit(await run.until(/(http\S+user_code=\S+)/), ANN);
  assert.equal(await run.code(), 0, run.said);
  assert.match((await tink('device', 'auth', 'whoami')).said, /oidc:ann/);
});

test('an observer of the URLs of the page gets no token, because state and verifier belong to this login alone', async () => {
  const run = new Tink('stranger', ['login', '--no-browser', '--server', server.url]);
  const url = new URL(await run.until(/^(http\S+\/auth\?\S+)$/m));
  const asked = url.searchParams;
  assert.deepEqual(
    [asked.get('code_challenge_method'), asked.get('code_challenge')?.length, asked.get('response_type')],
    ['S256', 43, 'code'],
  );
  assert.ok((asked.get('nonce') ?? '').length >= 22);
  const back = asked.get('redirect_uri') ?? '';
  const forged = await fetch(`${back}?code=stolen&state=guessed`);
  assert.equal(forged.status, 400);
  await visit(url.href, ANN);
  assert.equal(await run.code(), 0, run.said);
});

test('tokens are renewed when they end, and once when the server refuses one', async () => {
  const run = await loggedIn('brief', ANN, '--server', guests.url);
  assert.equal(await run.code(), 0, run.said);
  const tokenIn = () => /\btoken: (\S+)/.exec(configText('brief'))?.[1] ?? '';
  const first = tokenIn();
  for (let turn = 0; tokenIn() === first && turn < 100; turn++) await tink('brief', 'auth', 'whoami');
  assert.notEqual(tokenIn(), first);
  const [header, , signature] = tokenIn().split('.');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = Buffer.from(JSON.stringify({ iss: brief.issuer, exp })).toString('base64url');
  const bad = `${header}.${claims}.${signature}`;
  writeFileSync(join(folder, 'brief'), configText('brief').replace(tokenIn(), bad));
  assert.match((await tink('brief', 'auth', 'whoami')).said, /oidc:ann/);
  assert.notEqual(tokenIn(), bad);
  const ended = configText('brief')
    .replace(/refreshToken: \S+/, 'refreshToken: gone')
    .replace(tokenIn(), bad);
  writeFileSync(join(folder, 'brief'), ended);
  assert.match((await tink('brief', 'auth', 'whoami')).said, /has ended\n +run tink login/);
});

test('reports each error and how to fix it', async () => {
  const at = ['--server', server.url];
  const refused = await loggedIn('wrong', { login: 'ann', refuses: true }, ...at);
  assert.match(refused.said, /the identity provider rejected the login/);
  assert.equal(await refused.code(), 1);
  assert.match(
    (await tink('wrong', 'login', '--no-browser', ...at, '--client-id', 'stranger')).said,
    /does not know the client "stranger"/,
  );
  assert.match(
    (await tink('wrong', 'login', '--device', ...at, '--client-id', 'stranger')).said,
    /does not know the client "stranger"/,
  );
  assert.match(
    (await tink('wrong', 'login', ...at, '--issuer', 'http://127.0.0.1:9')).said,
    /cannot reach the identity provider at http:\/\/127\.0\.0\.1:9.*refused/,
  );
  assert.match(
    (await tink('wrong', 'login', ...at, '--issuer', 'http://login.example.org')).said,
    /must be an https URL/,
  );
  assert.match(
    (await tink('wrong', 'login', '--device', '--server', guests.url)).said,
    /the code expired.*\n.*again/,
  );
  assert.throws(() => configText('wrong'), /ENOENT/, 'a failed login stores nothing');
});

test('reports a wrong clock', async () => {
  const late = join(folder, 'late.mjs');
  writeFileSync(late, 'const now = Date.now; Date.now = () => now() + 7_200_000;\n');
  const run = new Tink('clock', ['login', '--no-browser', '--server', server.url], ['--import', late]);
  await visit(await run.until(/^(http\S+\/auth\?\S+)$/m), ANN);
  assert.equal(await run.code(), 1);
  assert.match(run.said, /clock.*2 h/);
});

test('reports a server without an identity provider', async () => {
  await using plain = await startServer();
  assert.match(
    (await tink('plain', 'login', '--server', plain.url)).said,
    /no identity provider is configured[^]*--oidc-issuer-url/,
  );
});
