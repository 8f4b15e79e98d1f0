/**
 * A person follows a real boot in the browser to its end: powers the machine on through its BMC, sees the boot while it happens, corrects
 * the action that fails and retries it, all by clicks.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine, createObject, startServer } from '@tinkerbell/sandbox';
import { openBmcOf } from '@tinkerbell/sandbox/bmc';
import { enterRack, limitOf, serverOptions } from './bare-machine.ts';
import { confirm } from './console/console-scene.ts';
import { openBrowser, signInWithToken } from './console/open-browser.ts';
import { putSmallImage, WRONG_DISK_TEMPLATE } from './wrong-disk-template.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';
/** An emulated machine on a busy host. Only a page that never shows something waits that long. */
const PATIENCE_MS = 10 * 60_000;

test('a boot, a failed action and its retry are followed and done by clicks alone', { skip }, async () => {
  await using cleanup = new AsyncDisposableStack();
  const { page, ending, operations } = await openBrowserAtMachine(cleanup);
  const see = (shown: Promise<unknown>) => Promise.race([shown, ending]);
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  await page.getByText('The server has seen nothing of this machine').waitFor();
  await page.getByRole('tab', { name: 'Power' }).click();
  await button('Network').click();
  await confirm(page);
  await see(page.getByText('completed').first().waitFor());
  await button('Power on').click();
  await confirm(page);

  await page.getByRole('tab', { name: 'Boot', exact: true }).click();
  const bars = page.locator('.waterfall');
  for (const step of [/vmlinuz/, /initramfs/, /write image/])
    await see(bars.getByText(step).first().waitFor());
  assert.deepEqual(operations, ['on']);

  await page.getByRole('tab', { name: 'Workflows' }).click();
  await page.getByRole('link', { name: 'machine-1-debian' }).click();
  const failed = page.locator('li.action.failed');
  await see(failed.getByText('/dev/vdz').first().waitFor());
  await failed.getByRole('button', { name: 'Edit…' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'DEST_DISK' }).fill('/dev/vda');
  await page.getByText('--env DEST_DISK=/dev/vda').waitFor();
  await confirm(page);
  await failed.getByRole('button', { name: 'Retry from here' }).click();
  await confirm(page);

  await see(page.locator('.page-head').getByText('success').waitFor());
  const states = await page.locator('li.action .badge').allTextContents();
  assert.deepEqual(states, ['success', 'success', 'success']);
  await page.getByText('3 of 3').waitFor();
  await page.getByRole('link', { name: 'machine-1', exact: true }).click();
  const labels = page.locator('.bar-label');
  await labels.getByText('write second').waitFor();
  assert.equal(await labels.getByText('write first').count(), 2, 'both attempts');
});

async function openBrowserAtMachine(cleanup: AsyncDisposableStack) {
  const options = await serverOptions('bios', cleanup);
  putSmallImage(options.imagesDirectory);
  const { network, template, demo } = await enterRack('bios', cleanup);
  const place = { directory: options.dataDirectory, port: await network.addPort() };
  const machine = await createMachine({ ...demo, ...place, firmware: 'bios', bootOrder: 'disk' });
  cleanup.defer(() => machine.powerOff());
  const bmc = cleanup.use(await openBmcOf(machine));
  const server = await startServer({ ...options, networkInterface: network.bridge });
  cleanup.defer(() => server.stop());
  const ours = { ...template, spec: { data: WRONG_DISK_TEMPLATE } };
  for (const object of [...bmc.objects, ours, bmc.ofHardware(demo.hardware), demo.workflow])
    await createObject(server, object);
  // It is in the network of the rack, as this process is.
  const browser = cleanup.use(await openBrowser());
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await signInWithToken(page, { server });
  await page.getByRole('link', { name: 'Machines', exact: true }).click();
  await page.getByRole('link', { name: demo.name, exact: true }).click();
  const lastOutput = () => [...machine.serial.tail(30), ...server.tail()].join('\n');
  return { page, operations: bmc.operations, ending: limitOf(machine.failed, lastOutput) };
}
