/** The web console in a real browser against a real server: signing in, verbs, roles, hostile text, and connections that break. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { startIdentityProvider, type IdentityProvider } from './access/identity-provider.ts';
import { axeViolations } from './console/axe-violations.ts';
import { startCuttableLine } from './console/cuttable-line.ts';
import { furnish, HOSTILE, startConsoleSite, until, type ConsoleSite } from './console/console-site.ts';
import { openBrowser, signInWithToken, type OpenBrowser } from './console/open-browser.ts';
import { macOf } from './console/site-objects.ts';
import { pagesOfSite } from './console/site-pages.ts';

const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const PATIENCE_MS = 15_000;
let provider: IdentityProvider;
let site: ConsoleSite;
let browser: OpenBrowser;

before(async () => {
  provider = await startIdentityProvider();
  site = await startConsoleSite([
    `--oidc-issuer-url=${provider.issuer}`,
    '--oidc-client-id=tinkerbell',
    '--enable-secondstar',
    '--secondstar-port=0',
  ]);
  await furnish(site);
  browser = await openBrowser();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

/** A window of a person without cookies. Every page that breaks its policy, or throws, fails the test. */
async function freshPage(): Promise<Page & AsyncDisposable & { readonly context: () => BrowserContext }> {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
  });
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await context.close();
      assert.deepEqual(problems, []);
    },
  });
}

async function adminPage(path = '/') {
  const page = await freshPage();
  await signInWithToken(page, site);
  if (path !== '/') await page.goto(at(path));
  return page;
}

const at = (path: string): string => `${site.server.url}/console${path}`;

test('a token signs in, and a wrong one says why', async () => {
  await using page = await freshPage();
  await page.goto(at('/machines'));
  await page.getByLabel('Token').fill('not-a-token');
  await page.getByRole('button', { name: 'Sign in with this token' }).click();
  await page.getByRole('alert').filter({ hasText: 'the token is invalid' }).waitFor();
  await signInWithToken(page, site, await site.tokenOf('view'));
  await page.getByText('system:serviceaccount:default:view-').waitFor();
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
    await page.getByText('system:admin').waitFor();
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
  await page.getByText('oidc:ann').waitFor();
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
    const body = '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"stolen"}}';
    const headers = { 'x-tinkerbell-console': '1' };
    return [
      await ask('/api/v1/namespaces', {}),
      await ask('/api/v1/namespaces', { method: 'POST', body, headers }),
      await ask('/api/v1/namespaces', { method: 'POST', body, mode: 'no-cors' }),
      await ask('/console/session', { method: 'DELETE', mode: 'no-cors' }),
    ];
  }, site.server.url);
  assert.deepEqual(outcomes.slice(0, 2), ['refused', 'refused']);
  await assert.rejects(site.ask('/api/v1/namespaces/stolen'), /404/);
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

test('filters are in the address, and a link shows the same rows', async () => {
  await using page = await adminPage('/machines');
  await page.getByLabel('Filter by name').fill('node-1');
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('rack=r6');
  await page.getByText('5 of 24').waitFor();
  const link = page.url();
  assert.match(link, /q=node-1&label=rack%3Dr6/);
  await using other = await adminPage();
  await other.goto(link);
  await other.getByText('5 of 24').waitFor();
});

test('the tables fit their windows, and chosen columns are remembered', async () => {
  await using page = await adminPage();
  const beyond = () =>
    page.locator('.table-scroller').evaluate((one) => {
      const { scrollWidth, clientWidth, ownerDocument } = one as unknown as Sized;
      const { documentElement: whole } = ownerDocument;
      return [scrollWidth - clientWidth, whole.scrollWidth - whole.clientWidth].join();
    });
  for (const path of ['machines', 'workflows', 'bmcs', 'templates']) {
    await page.goto(at(`/${path}`));
    await page.locator('tbody tr').first().waitFor();
    for (const width of [1440, 1280, 800, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await until(async () => (await beyond()) === '0,0');
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(at('/machines'));
  await page.locator('summary', { hasText: 'Columns' }).click();
  await page.getByLabel('MAC', { exact: true }).uncheck();
  await page.getByRole('columnheader', { name: 'MAC' }).waitFor({ state: 'detached' });
  assert.match(page.url(), /hide=mac/);
  await page.goto(at('/machines'));
  await page.getByRole('columnheader', { name: 'Namespace' }).waitFor();
  assert.equal(await page.getByRole('columnheader', { name: 'MAC' }).count(), 0);
});

interface Sized {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly ownerDocument: { readonly documentElement: Omit<Sized, 'ownerDocument'> };
}

test('a label is set on many machines, after a summary and with progress', async () => {
  await using page = await adminPage('/machines?q=node-1');
  await page.getByLabel('Select all rows').check();
  await page.getByRole('button', { name: 'Label…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('row');
  await dialog.getByLabel('Value').fill('b');
  await dialog.getByRole('button', { name: 'Show the summary' }).click();
  await dialog.getByText('kubectl label hardware').waitFor();
  await dialog.getByRole('button', { name: 'Set the label row=b' }).click();
  await dialog.getByText('11 of 11 sent').waitFor();
  const { metadata } = await site.ask(`${OBJECTS}/hardware/node-19`);
  assert.equal((metadata as { labels: Record<string, string> }).labels['row'], 'b');
});

test('a machine is registered with a form that names wrong fields', async () => {
  await using page = await adminPage('/new-machine');
  await page.locator('input[name=name]').fill('shelf-1');
  await page.locator('input[name=mac]').fill('52-54-00');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('six bytes, such as').waitFor();
  await page.locator('input[name=mac]').fill(macOf(1));
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('alert').waitFor();
  await page.locator('input[name=mac]').fill('52-54-00-AB-CD-77');
  await page.locator('input[name=address]').fill('192.168.56.177/24');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'shelf-1' }).waitFor();
  const { spec } = await site.ask(`${OBJECTS}/hardware/shelf-1`);
  assert.match(JSON.stringify(spec), /"mac":"52:54:00:ab:cd:77"/);
});

test('machines are registered from CSV', async () => {
  await using page = await adminPage('/new-machine?tab=csv');
  await page
    .getByLabel(/Paste rows/)
    .fill('name;mac;address\ncsv-1;52:54:00:ab:ce:01;10.0.0.1/24\ncsv-2;wrong;\n');
  await page.getByText('mac: six bytes').waitFor();
  await page.getByRole('button', { name: 'Register 1 machine' }).click();
  await page.getByRole('cell', { name: 'registered' }).waitFor();
  await site.ask(`${OBJECTS}/hardware/csv-1`);
});

async function statusOf(workflow: string): Promise<Record<string, unknown>> {
  return (await site.ask(`${OBJECTS}/workflows/${workflow}`))['status'] as Record<string, unknown>;
}

async function confirm(page: Page, why = ''): Promise<void> {
  const dialog = page.getByRole('dialog');
  if (why !== '') await dialog.getByLabel(/Why/).fill(why);
  await dialog.locator('button[type=submit]').click();
  await dialog.waitFor({ state: 'detached' });
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

test('YAML is checked by the server while it is typed, with the line of a problem', async () => {
  await using page = await adminPage('/machines/default/node-7?tab=yaml');
  const editor = page.getByLabel('machine as YAML');
  const text = await editor.inputValue();
  await editor.fill(text.replace(`mac: ${macOf(7)}`, 'mac: WRONG'));
  const line = text.split('\n').findIndex((one) => one.includes(`mac: ${macOf(7)}`)) + 1;
  await page.getByText(`line ${line}: spec.interfaces[0].dhcp.mac`).waitFor();
  await editor.fill(text.replace('role: compute', 'role: router'));
  await page.getByText('The server accepts it').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('node-7 is saved').waitFor();
  assert.match(JSON.stringify(await site.ask(`${OBJECTS}/hardware/node-7`)), /"role":"router"/);
});

test('a template is rendered for a machine beside it, with the line of a problem and words to complete', async () => {
  await using page = await adminPage('/templates/default/debian?machine=node-2');
  const [editor, rendered] = [
    page.getByLabel('template as YAML'),
    page.getByLabel('Rendered text for node-2'),
  ];
  await until(async () => (await rendered.inputValue()).includes(`worker: "${macOf(2)}"`));
  const text = await editor.inputValue();
  const line = text.split('\n').findIndex((one) => one.includes('.device_1')) + 1;
  await editor.fill(text.replace('{{ .device_1 }}', '{{ .Hardware.Nothing }}'));
  await page.getByRole('list', { name: 'Problems' }).getByText(`line ${line}:`).waitFor();
  await editor.fill(text.replace('timeout: 900', 'timeout: soon'));
  await page
    .getByText(/^line 10, column 18 of the rendered text: tasks\[0\]\.actions\[0\]\.timeout/)
    .waitFor();
  await editor.fill(text.slice(0, text.indexOf('.device_1')));
  await page.keyboard.type('.dev');
  await page.getByRole('option', { name: /^\.device_1/ }).waitFor();
  await page.keyboard.press('Enter');
  assert.match(await editor.inputValue(), /\{\{ \.device_1$/);
  await page.getByRole('combobox', { name: 'Rendered for' }).fill('node-4');
  await page.getByLabel('Rendered text for node-4').waitFor();
  assert.match(page.url(), /machine=node-4/);
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
  await page.goto(`${line.url}/console/machines`);
  await page.getByText('node-22').waitFor();
  line.cut();
  await page.getByText('The connection to the server is lost').waitFor();
  await site.ask(`${OBJECTS}/hardware/node-22`, 'DELETE');
  await page.getByText('node-23').waitFor();
  line.join();
  await page.getByText('The connection to the server is lost').waitFor({ state: 'detached' });
  await page.getByText('node-22').waitFor({ state: 'detached' });
});

test('the command palette goes to a machine with the keyboard only', async () => {
  await using page = await adminPage('/machines');
  await page.getByText('node-23').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Page, machine/ }).fill('node-23');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'node-23' }).waitFor();
});

test('the console opens with the session, and says why the BMC has none', async () => {
  await using page = await adminPage('/machines/default/node-1?tab=console');
  await page.getByText(/closed: .*bmc-login/).waitFor();
});

test('power is a Job of the BMC, as tink creates it', async () => {
  await using page = await adminPage('/machines/default/node-1?tab=power');
  await page.getByRole('button', { name: 'cycle' }).click();
  await page.getByText('tink power cycle node-1').waitFor();
  await confirm(page);
  await page.getByText(/^power-cycle-node-1-[0-9a-f]{8}$/).waitFor();
  const jobs = await site.ask('/apis/bmc.tinkerbell.org/v1alpha1/namespaces/default/jobs');
  const [job] = jobs['items'] as { spec: object }[];
  assert.deepEqual(job?.spec, {
    machineRef: { name: 'bmc-1', namespace: 'default' },
    tasks: [{ powerAction: 'cycle' }],
  });
});
