/** Pages of the web console in a real browser: tables, forms, editors, and what they store. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axeViolations } from './console/axe-violations.ts';
import { confirm, OBJECTS, openScene, type ConsoleScene } from './console/console-scene.ts';
import { until, type ConsoleSite } from './console/console-site.ts';
import { macOf } from './console/site-objects.ts';

let scene: ConsoleScene;
let site: ConsoleSite;

before(async () => {
  scene = await openScene(['--enable-secondstar', '--secondstar-port=0']);
  ({ site } = scene);
});

after(() => scene?.[Symbol.asyncDispose]());

const at = (path: string): string => scene.at(path);
const adminPage = (path?: string) => scene.adminPage(path);

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

test('the overview shows a failed action once, with its workflow', async () => {
  await using page = await adminPage();
  await page.getByRole('link', { name: '6 workflows' }).waitFor();
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Needs a person' }) });
  await card.getByRole('link', { name: 'node-1-debian' }).waitFor();
  await card.getByText('1 of 3 actions').first().waitFor();
  // The doctor reports the machine a moment after its workflow.
  await page.getByText('BootStopped').waitFor();
  const shown = await card.getByRole('link').allTextContents();
  assert.deepEqual(shown.toSorted(), ['node-1-debian', 'node-4-debian']);
});

test('a phone shows the chosen tab, what is wrong with a BMC, and whole words of a command', async () => {
  await using page = await adminPage();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(at('/machines/default/node-1?tab=events'));
  const tab = page.getByRole('tab', { name: 'Events' });
  await until(async () => {
    const box = await tab.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 390;
  });
  await page.getByText(/^Newest first, times in /).waitFor();
  await page.getByRole('tab', { name: 'Boot', exact: true }).click();
  const flag = page.locator('.tink-command span', { hasText: '--from' });
  const [word, command] = await flag.evaluate((one) => {
    const { offsetHeight, parentElement } = one as unknown as Boxed;
    return [offsetHeight, parentElement.offsetHeight] as const;
  });
  assert.ok(word < 30 && command > 30, `the word has ${word} px, and its command ${command}`);
  await page.goto(at('/bmcs'));
  await page
    .getByText(/^no: wrong-credentials/)
    .first()
    .waitFor();
});

interface Boxed {
  readonly offsetHeight: number;
  readonly parentElement: Omit<Boxed, 'parentElement'>;
}

test('the audit says what came of a write, and is filtered by the address of its client', async () => {
  await using page = await adminPage('/audit');
  const rows = page.getByRole('list', { name: 'Writes over the API' }).getByRole('listitem');
  await rows.getByText('create hardware.tinkerbell.org default/node-24: done, from 127.0.0.1').waitFor();
  const filter = page.getByLabel('Filter by user, object or address');
  await filter.fill('node-24: done, from 127.0.0.1');
  await until(async () => (await rows.count()) === 1);
  await filter.fill('192.0.2.1');
  await page.getByText('No write matches').waitFor();
});

test('a view keeps filters, order and columns under a name, and its link works in another browser', async () => {
  await using page = await adminPage('/machines');
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('rack=r6');
  await page.getByRole('columnheader', { name: 'Address' }).getByRole('button').click();
  await page.locator('summary', { hasText: 'Columns' }).click();
  await page.getByLabel('Netboot', { exact: true }).last().uncheck();
  await page.locator('summary', { hasText: 'Columns' }).click();
  await page.locator('summary', { hasText: 'Views' }).click();
  await page.getByLabel('Name of the view').fill('Rack 6 & more');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('summary', { hasText: 'View: Rack 6 & more' }).waitFor();
  const link = page.url();
  assert.match(link, /label=rack%3Dr6&sort=address&hide=netboot&view=Rack\+6\+%26\+more$/);

  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('');
  await page.getByText('24', { exact: true }).waitFor();
  assert.doesNotMatch(page.url(), /view=/, 'it is not that view any longer');
  await page.reload();
  await page.locator('summary', { hasText: 'Views' }).click();
  await page.getByRole('link', { name: 'Rack 6 & more' }).click();
  await page.getByText('8 of 24').waitFor();
  assert.equal(page.url(), link);

  await using other = await adminPage();
  await other.goto(link);
  await other.getByText('8 of 24').waitFor();
  await other.locator('[aria-sort=ascending]', { hasText: 'Address' }).waitFor();
  assert.equal(await other.getByRole('columnheader', { name: 'Netboot' }).count(), 0);
  await other.locator('summary', { hasText: 'View: Rack 6 & more' }).click();
  assert.equal(await other.getByLabel('Name of the view').inputValue(), 'Rack 6 & more');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('summary', { hasText: 'View: Rack 6 & more' }).click();
  const box = await page.getByRole('group', { name: 'Saved views' }).boundingBox();
  assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
  assert.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Delete the view Rack 6 & more' }).click();
  await page.getByRole('link', { name: 'Rack 6 & more' }).waitFor({ state: 'detached' });
});

interface Sized {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly ownerDocument: { readonly documentElement: Omit<Sized, 'ownerDocument'> };
}

test('nothing can be selected before the rows have arrived', async () => {
  await using page = await adminPage();
  const listed = Promise.withResolvers<void>();
  await page.route(/\/hardware\?limit=/, async (route) => {
    await listed.promise;
    await route.continue();
  });
  await page.goto(at('/machines?q=node-1'));
  const all = page.getByLabel('Select all rows');
  await all.waitFor();
  assert.equal(await all.isEnabled(), false);
  listed.resolve();
  await all.check();
  await page.getByText('11 selected').waitFor();
});

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

test('a run is compared with the one before', async () => {
  await using page = await adminPage('/workflows/default/node-1-debian');
  await page.getByText('Compare with the previous run').click();
  const row = page.getByRole('row', { name: /write image/ });
  await row.getByText('10 s').waitFor();
  await row.getByRole('cell', { name: 'image', exact: true }).waitFor();
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

test('checks run from the server and from the agent of a neighbour, and their problems are evidence', async () => {
  await using page = await adminPage('/machines/default/node-1');
  const card = page.getByRole('region', { name: 'Checks' });
  await card.getByText('tink doctor node-1 --check --from server').waitFor();
  await card.getByRole('button', { name: 'Check now' }).click();
  const fromServer = card.getByRole('list', { name: 'Checks from the server' });
  await fromServer.getByText('192.168.56.41: no host answers this host').waitFor();
  await fromServer.getByText('nothing is recorded of this boot').waitFor();
  assert.equal(await card.getByRole('option').count(), 1, 'no agent is connected');

  const leave = await site.listen(macOf(6));
  await page.reload();
  await card.getByRole('combobox', { name: 'Check from' }).selectOption('agent:node-6');
  await card.getByText('tink doctor node-1 --check --from agent:node-6').waitFor();
  await card.getByRole('button', { name: 'Check now' }).click();
  const fromAgent = card.getByRole('list', { name: 'Checks from the agent of node-6' });
  await fromAgent.getByText(/^HTTP, tcp\/\d+ of \S+ answers node-6$/).waitFor();
  await fromAgent.getByText(/^gRPC, .* does not answer node-6: nothing within 3 s$/).waitFor();
  await page
    .getByRole('list', { name: 'Evidence' })
    .getByText(/checked ports: gRPC, .* does not answer node-6/)
    .waitFor();
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    assert.deepEqual(await axeViolations(page), [], theme);
  }
  leave();
});

test('the plots begin with the server, and not with the page', async () => {
  await using page = await adminPage('/server');
  const since = page.getByText(/^The server started /).getByRole('time');
  const startMs = Date.parse((await since.getAttribute('datetime')) ?? '');
  const { points } = await site.ask('/metrics/history');
  assert.equal((points as { atMs: number }[])[0]?.atMs, startMs);
  const openedMs = await page.evaluate(() => performance.timeOrigin);
  assert.ok(startMs < openedMs - 1000, `${startMs} is before ${openedMs}`);
  await page.getByText(/^Processor \d+ %$/).waitFor();
  assert.equal(await page.locator('.plot canvas').count(), 6);
});

test('the command palette goes to a machine with the keyboard only', async () => {
  await using page = await adminPage('/machines');
  await page.getByText('node-9').waitFor();
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
