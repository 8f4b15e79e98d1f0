/** The web console with what is hostile, huge or odd, and with connections that break all the time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { outputRecords } from './console/booted-machine.ts';
import { OBJECTS, openScene, type ConsoleScene } from './console/console-scene.ts';
import { HOSTILE, until, type ConsoleSite } from './console/console-site.ts';
import { startCuttableLine } from './console/cuttable-line.ts';
import { signInWithToken } from './console/open-browser.ts';
import { hardware, macOf } from './console/site-objects.ts';

const LOG_LINES = 25_000;
const LINE_CHARACTERS = 4000;
const TEMPLATE_CHARACTERS = 1_000_000;
const ACTIONS = 5000;
/** What the page keeps of the log, and itself. */
const HEAP_BYTES_MAX = 120_000_000;

let scene: ConsoleScene;
let site: ConsoleSite;

before(async () => {
  const story = { mac: macOf(3), workflow: 'default/node-3-debian', startMs: 0, fails: false };
  const line = (index: number): string => `line ${index} ${'x'.repeat(LINE_CHARACTERS)}`;
  const log = outputRecords(
    story,
    Array.from({ length: LOG_LINES }, (_, index) => line(index)),
  );
  scene = await openScene([], log);
  ({ site } = scene);
});

after(() => scene?.[Symbol.asyncDispose]());

const adminPage = (path?: string) => scene.adminPage(path);

/** Nothing of the text became an element or ran. */
async function isPlain(page: Page): Promise<void> {
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
}

test('hostile texts of machines, templates and operators stay text on every page', async () => {
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'hostile', namespace: 'default' },
    type: 'Warning',
    reason: `R${HOSTILE}`,
    message: `event ${HOSTILE} \u001b[2J`,
    involvedObject: { kind: 'Hardware', namespace: 'default', name: 'node-9' },
    lastTimestamp: new Date().toISOString(),
  };
  await site.ask('/api/v1/namespaces/default/events', 'POST', event);
  await site.ask(`${OBJECTS}/workflows/node-5-debian/pause`, 'POST', { who: HOSTILE, why: `why ${HOSTILE}` });
  await using page = await adminPage();
  for (const [path, shown] of [
    ['/', `event ${HOSTILE}`],
    ['/machines/default/node-1?tab=workflows', `no such device ${HOSTILE}`],
    ['/workflows/default/node-1-debian', `no such device ${HOSTILE}`],
    ['/workflows/default/node-5-debian', `why ${HOSTILE}`],
  ] as const) {
    await page.goto(scene.at(path));
    await page.getByText(shown).first().waitFor();
    await isPlain(page);
  }
  await page.goto(scene.at('/templates/default/debian?machine=node-2'));
  const editor = page.getByLabel('template as YAML');
  const text = await editor.inputValue();
  await editor.fill(text.replace('timeout: 900', `timeout: '${HOSTILE}'`));
  await page.getByText(/cannot unmarshal/).waitFor();
  await isPlain(page);
});

test('a log of 100 MB shows its end, and the page keeps little of it', async () => {
  await using page = await adminPage('/workflows/default/node-3-debian');
  await page.getByText(`line ${LOG_LINES - 1} `).waitFor({ timeout: 60_000 });
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  assert.ok(usedSize < HEAP_BYTES_MAX, `${usedSize} bytes`);
  assert.ok(((await page.getByRole('log').textContent()) ?? '').length < 5_000_000);
});

test('a template of 1 MB is shown, changed, rendered and saved', async () => {
  const line = `# ${'y'.repeat(48)}\n`;
  const data = `name: big\ntasks: []\n${line.repeat(TEMPLATE_CHARACTERS / line.length)}`;
  await site.ask(`${OBJECTS}/templates`, 'POST', {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: 'big' },
    spec: { data },
  });
  await using page = await adminPage('/templates/default/big?machine=node-2');
  await page
    .getByText(/262144/)
    .first()
    .waitFor();
  const editor = page.getByLabel('template as YAML');
  const text = await editor.inputValue();
  assert.ok(text.length > TEMPLATE_CHARACTERS);
  await editor.press('Control+End');
  await page.keyboard.type('# end');
  await page.getByText('The server accepts it').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('big is saved').waitFor();
});

test('a workflow of 5,000 actions shows those around the next one', async () => {
  const action = (index: number) => ({
    id: `a${index}`,
    name: `action-${index}`,
    image: 'i',
    state: index < 3000 ? 'SUCCESS' : 'PENDING',
  });
  const all = Array.from({ length: ACTIONS }, (_, index) => action(index));
  const task = (id: string, actions: readonly object[]) => ({ id, name: id, agentID: macOf(5), actions });
  const tasks = [task('one', all.slice(0, ACTIONS / 2)), task('two', all.slice(ACTIONS / 2))];
  await site.ask(`${OBJECTS}/workflows/node-5-debian/status`, 'PATCH', { status: { tasks } });
  await using page = await adminPage('/workflows/default/node-5-debian');
  await page.getByText('3000 of 5000').waitFor();
  await page.getByText('action-3000').waitFor();
  assert.ok((await page.locator('li.action').count()) < 400);
  await page.getByRole('button', { name: 'Show later actions' }).click();
  await page.getByText('action-3399').waitFor();
});

test('labels of 63 odd characters are shown, found, and do not break the table', async () => {
  const value = `0${'._-'.repeat(20)}x9`;
  const name = `${'a-b.'.repeat(15)}example.org/${'N_.-'.repeat(15)}n.9`;
  assert.deepEqual([value.length, name.split('/')[1]?.length], [63, 63]);
  const object = hardware(60) as { readonly metadata: object };
  await site.ask(`${OBJECTS}/hardware`, 'POST', {
    ...object,
    metadata: { name: 'odd', labels: { [name]: value } },
  });
  await using page = await adminPage('/machines');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill(`${name}=${value}`);
  await page.getByText('1 of 25').waitFor();
  await page.getByTitle(`${name}=${value}`).waitFor();
  const beyond = await page
    .locator('.table-scroller')
    .evaluate((one) => (one as unknown as Sized).scrollWidth - (one as unknown as Sized).clientWidth);
  assert.equal(beyond, 0);
});

interface Sized {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

test('a connection that is cut every second loses neither changes nor what is typed', async () => {
  await using line = await startCuttableLine(Number(new URL(site.server.url).port));
  await using page = await scene.freshPage();
  await signInWithToken(page, { server: { ...site.server, url: line.url } });
  await page.getByRole('link', { name: 'New machine', exact: true }).click();
  await page.locator('input[name=name]').fill('typed-');
  for (let second = 0; second < 5; second += 1) {
    line.cut();
    await site.ask(`${OBJECTS}/hardware`, 'POST', {
      ...hardware(70 + second),
      metadata: { name: `cut-${second}` },
    });
    await page.locator('input[name=name]').pressSequentially(String(second));
    await page.waitForTimeout(500);
    line.join();
    await page.waitForTimeout(500);
  }
  assert.equal(await page.locator('input[name=name]').inputValue(), 'typed-01234');
  await page.getByRole('link', { name: 'Machines', exact: true }).click();
  await page.getByLabel('Filter by name').fill('cut-');
  await until(async () => (await page.getByRole('link', { name: /^cut-\d$/ }).count()) === 5);
});

test('after a jump through a long table, the focus is not in a row that was not chosen', async () => {
  for (let at = 0; at < 100; at += 1)
    await site.ask(`${OBJECTS}/hardware`, 'POST', {
      ...hardware(80 + at),
      metadata: { name: `long-${String(at).padStart(3, '0')}` },
    });
  await using page = await adminPage('/machines');
  await page.getByLabel('Filter by name').fill('long-');
  await page.getByText('100 of').waitFor();
  const scroller = page.locator('.table-scroller');
  const last = page.getByRole('row', { name: /long-099/ });
  await page.getByLabel('Select long-003').focus();
  await scroller.evaluate((one) => ((one as unknown as { scrollTop: number }).scrollTop = 20));
  assert.equal(await page.getByLabel('Select long-003').evaluate(hasFocus), true);
  await scroller.evaluate((one) => ((one as unknown as { scrollTop: number }).scrollTop = 1e6));
  await last.waitFor();
  assert.equal(await scroller.evaluate(hasFocus), true);
  await page.keyboard.press('Space');
  assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0);
  await last.getByRole('checkbox').check();
  await page.getByText('1 selected').waitFor();
  await scroller.evaluate((one) => ((one as unknown as { scrollTop: number }).scrollTop = 0));
  await page.getByRole('row', { name: /long-000/ }).waitFor();
  assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0);
});

function hasFocus(one: unknown): boolean {
  const element = one as { readonly ownerDocument: { readonly activeElement: unknown } };
  return element.ownerDocument.activeElement === element;
}
