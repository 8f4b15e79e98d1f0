/** The web console in a real browser against a real server: signing in, verbs, roles, hostile text, and connections that break. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startIdentityProvider, type IdentityProvider } from './access/identity-provider.ts';
import { axeViolations } from './console/axe-violations.ts';
import { confirm, OBJECTS, openScene, type ConsoleScene } from './console/console-scene.ts';
import { startCuttableLine } from './console/cuttable-line.ts';
import { HOSTILE, until, type ConsoleSite } from './console/console-site.ts';
import { signInWithToken } from './console/open-browser.ts';
import { macOf } from './console/site-objects.ts';
import { pagesOfSite } from './console/site-pages.ts';

let provider: IdentityProvider;
let scene: ConsoleScene;
let site: ConsoleSite;

before(async () => {
  provider = await startIdentityProvider();
  scene = await openScene([`--oidc-issuer-url=${provider.issuer}`, '--oidc-client-id=tinkerbell']);
  ({ site } = scene);
});

after(async () => {
  await scene?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

const at = (path: string): string => scene.at(path);
const freshPage = () => scene.freshPage();
const adminPage = (path?: string) => scene.adminPage(path);

test('a token signs in, and a wrong one says why', async () => {
  await using page = await freshPage();
  await page.goto(at('/machines'));
  await page.getByLabel('Token').fill('not-a-token');
  await page.getByRole('button', { name: 'Sign in with this token' }).click();
  await page.getByRole('alert').filter({ hasText: 'the token is invalid' }).waitFor();
  await signInWithToken(page, site, await site.tokenOf('view'));
  await page.locator('.username', { hasText: 'system:serviceaccount:default:view-' }).waitFor();
  const [cookie] = await page.context().cookies();
  assert.deepEqual(
    [cookie?.name, cookie?.httpOnly, cookie?.sameSite, cookie?.path],
    ['tinkerbell-session', true, 'Strict', '/'],
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  assert.deepEqual(await page.context().cookies(), []);
});

test('the link in the log signs in once', async () => {
  const line = site.server.said().find((one) => one.includes('/console/#')) ?? '';
  const url = /"url":"([^"]+)"/.exec(line)?.[1] ?? '';
  {
    await using page = await freshPage();
    await page.goto(url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.locator('.username', { hasText: 'system:admin' }).waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the code does not stay in the address');
  }
  await using again = await freshPage();
  await again.goto(url);
  await again.getByRole('alert').filter({ hasText: 'this link has been used' }).waitFor();
});

test('an identity provider signs in', async () => {
  await using page = await freshPage();
  await page.goto(at('/'));
  await page.getByRole('button', { name: /Sign in with 127\.0\.0\.1/ }).click();
  await page.locator('input[name=login]').fill('ann');
  await page.locator('input[name=password]').fill('x');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: /Continue/ }).click();
  await page.locator('.username', { hasText: 'oidc:ann' }).waitFor();
  assert.equal(new URL(page.url()).search, '', 'the code does not stay in the address');
});

// Before others change what the pages show.
for (const theme of ['light', 'dark'] as const)
  test(`every page is accessible in the ${theme} theme`, async () => {
    await using page = await freshPage();
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.goto(at('/'));
    await page.getByLabel('Token').waitFor();
    assert.deepEqual(await axeViolations(page), [], 'sign-in');
    await signInWithToken(page, site);
    for (const { name, path, ready } of pagesOfSite) {
      await page.goto(at(path));
      await page.getByText(ready).first().waitFor();
      assert.deepEqual(await axeViolations(page), [], name);
    }
    await page.goto(at('/workflows/default/node-3-debian'));
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await axeViolations(page), [], 'dialog');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Page, machine/ }).waitFor();
    assert.deepEqual(await axeViolations(page), [], 'command palette');
  });

test('a deleted account is signed out, and what was typed stays', async () => {
  await using page = await freshPage();
  await signInWithToken(page, site, await site.tokenOf('edit'));
  await page.goto(at('/new-machine'));
  await page.locator('input[name=name]').fill('half-typed');
  const accounts = await site.ask('/api/v1/namespaces/default/serviceaccounts');
  const items = accounts['items'] as { metadata: { name: string } }[];
  for (const { metadata } of items.filter((one) => one.metadata.name.startsWith('edit-')))
    await site.ask(`/api/v1/namespaces/default/serviceaccounts/${metadata.name}`, 'DELETE');
  await page.locator('input[name=mac]').fill(macOf(99));
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('Your session has ended').waitFor();
  const own = readFileSync(`${site.server.dataDirectory}/local/token`, 'utf8').trim();
  await page.getByLabel('Token').fill(own);
  await page.getByRole('button', { name: 'Sign in with this token' }).click();
  await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  assert.equal(await page.locator('input[name=name]').inputValue(), 'half-typed');
});

/** A page that shows the console in a frame could make people click in it. */
async function assertNotFramed(page: Page, server: string): Promise<void> {
  await page.setContent(`<iframe src="${server}/console/"></iframe>`);
  await until(async () => page.frames().length === 2);
  const [, frame] = page.frames();
  await until(async () => (frame?.url() ?? '').startsWith('chrome-error:'));
}

test('another web page can neither read nor write with the cookie', async () => {
  await using page = await adminPage();
  const other = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<title>other</title>'),
  ).listen(0, '127.0.0.1');
  await using closing = new AsyncDisposableStack();
  closing.defer(() => {
    other.close();
    other.closeAllConnections();
  });
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const tried = await page.context().newPage();
  await tried.goto(`http://127.0.0.1:${port}/`);
  const outcomes = await tried.evaluate(async (server) => {
    const ask = async (path: string, init: RequestInit): Promise<string> => {
      try {
        const response = await fetch(`${server}${path}`, { credentials: 'include', ...init });
        return `${response.type} ${response.status}`;
      } catch {
        return 'refused';
      }
    };
    const listen = (path: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${server.replace('http', 'ws')}${path}`, 'tinkerbell.console.v1');
        socket.onopen = () => resolve('open');
        socket.onclose = () => resolve('refused');
      });
    const body = '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"stolen"}}';
    const headers = { 'x-tinkerbell-console': '1' };
    return [
      await ask('/api/v1/namespaces', {}),
      await ask('/api/v1/namespaces', { method: 'POST', body, headers }),
      await ask('/api/v1/namespaces', { method: 'POST', body, mode: 'no-cors' }),
      await ask('/console/session', { method: 'DELETE', mode: 'no-cors' }),
      await listen('/consoles/default/node-1'),
    ];
  }, site.server.url);
  assert.deepEqual([...outcomes.slice(0, 2), outcomes[4]], ['refused', 'refused', 'refused']);
  await assertNotFramed(tried, site.server.url);
  await assert.rejects(site.ask('/api/v1/namespaces/stolen'), /404/);
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

async function statusOf(workflow: string): Promise<Record<string, unknown>> {
  return (await site.ask(`${OBJECTS}/workflows/${workflow}`))['status'] as Record<string, unknown>;
}

test('a workflow is paused, resumed, cancelled and retried, and its state follows', async () => {
  await using page = await adminPage('/workflows/default/node-5-debian');
  await page.getByRole('button', { name: 'Breakpoint' }).nth(1).click();
  await confirm(page);
  await page.getByRole('button', { name: 'Remove breakpoint' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('tink workflow pause node-5-debian').waitFor();
  await confirm(page, 'the fan is loud');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByText('the fan is loud').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await confirm(page);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await confirm(page);
  await page.locator('.page-head').getByText('cancelled').waitFor();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await confirm(page);
  await until(async () => (await statusOf('node-5-debian'))['state'] === 'PENDING');
});

test('a failed workflow is retried from an action, and another is skipped', async () => {
  await using page = await adminPage('/workflows/default/node-1-debian');
  await page.getByRole('button', { name: 'Skip' }).first().click();
  await page.getByText("tink workflow skip node-1-debian 'write hostname'").waitFor();
  await confirm(page);
  await until(async () => {
    const { tasks } = await statusOf('node-1-debian');
    return (tasks as { actions: { state: string }[] }[])[0]?.actions[1]?.state === 'SUCCESS';
  });
});

test('the output of an action and hostile text stay text', async () => {
  await using page = await adminPage('/workflows/default/node-1-debian');
  await page.getByRole('button', { name: /write image/ }).click();
  const output = page.getByRole('log');
  await output.getByText('100 % 2048 MiB').waitFor();
  const shown = await output.textContent();
  assert.ok(shown?.includes(HOSTILE));
  // oxlint-disable-next-line no-control-regex -- none may be left
  assert.doesNotMatch(shown ?? '', /[\u001b\u0007\r]|owned/);
  await page.goto(at('/machines/default/node-1'));
  await page.getByText('initramfs-x86_64').first().waitFor();
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
});

test('a viewer sees buttons that say why they cannot be used', async () => {
  await using page = await freshPage();
  await signInWithToken(page, site, await site.tokenOf('view'));
  await page.goto(at('/workflows/default/node-4-debian'));
  const resume = page.getByRole('button', { name: 'Resume' });
  await page.locator('button[aria-disabled=true]', { hasText: 'Resume' }).waitFor();
  assert.match((await resume.getAttribute('title')) ?? '', /Ask an administrator for the role “edit”/);
  // It stays clickable, and Playwright counts it as disabled.
  await resume.click({ force: true });
  await page.getByText('Your role does not allow').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
});

test('a watch that is cut resumes, with a banner meanwhile', async () => {
  await using line = await startCuttableLine(Number(new URL(site.server.url).port));
  await using page = await freshPage();
  await signInWithToken(page, { server: { ...site.server, url: line.url } });
  await page.goto(`${line.url}/console/machines?q=node-2`);
  await page.getByText('node-22').waitFor();
  line.cut();
  await page.getByText('The connection to the server is lost').waitFor();
  await site.ask(`${OBJECTS}/hardware/node-22`, 'DELETE');
  await page.getByText('node-23').waitFor();
  line.join();
  await page.getByText('The connection to the server is lost').waitFor({ state: 'detached' });
  await page.getByText('node-22').waitFor({ state: 'detached' });
});
