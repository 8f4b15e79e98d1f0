import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetbootSettings } from '@tinkerbell/netboot';
import type { BootTokenMint } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { nodeClock, nodeFiles } from '@tinkerbell/platform-node';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import {
  fixedView,
  furtherMachine,
  machine,
  MAC,
  rackConfig,
  recordingJournal,
  silentLog,
  workflow,
} from './testing/rack.ts';
import { createBootFiles } from './boot-files/index.ts';
import { createBootMetrics } from './metrics.ts';
import { createScriptRoutes } from './http/script-route.ts';

const OWN = '192.168.77.10';
const OTHER = '192.168.77.101';

/** Tokens whose text names their purpose. */
function countingMint(): BootTokenMint {
  let count = 0;
  return { mint: (mac, uid = 'none') => `token-${(count += 1)}-for-${mac.replaceAll(':', '')}-${uid}` };
}

interface Scene {
  readonly hardware?: Hardware;
  readonly workflows?: readonly Workflow[];
  readonly mode?: NetbootSettings['mode'];
  readonly bootTokens?: BootTokenMint;
}

function scene({
  hardware = machine(),
  workflows = [],
  mode = 'reservation',
  bootTokens = countingMint(),
}: Scene) {
  const base = rackConfig();
  const config = { ...base, netboot: { ...base.netboot, mode } };
  const view = fixedView([hardware, furtherMachine(1)], workflows);
  const deps = {
    clock: nodeClock,
    journal: recordingJournal(),
    view,
    log: silentLog,
    files: nodeFiles,
    bootTokens,
  };
  const bootFiles = { ownHookIpxe: async () => undefined };
  const route = createScriptRoutes({
    deps,
    config,
    metrics: createBootMetrics(new MetricSet()),
    files: bootFiles,
  })[0]!;
  const files = createBootFiles(deps, config);
  return {
    async script(address = OWN) {
      const request = new Request(`http://server/ipxe/script/${MAC}/auto.ipxe`);
      const peer = { address, port: 1 };
      const signal = new AbortController().signal;
      const response = await route.handle(request, { peer, localAddress: '192.168.77.1', signal });
      return tokenIn((await response?.text()) ?? '');
    },
    async loader(fileName: string, clientAddress = OWN) {
      const found = await files.find({ fileName, clientAddress });
      assert.equal(found.kind, 'file');
      return found.kind === 'file'
        ? tokenIn(Buffer.from(await found.file.slice(0, found.file.sizeBytes)).toString())
        : '';
    },
  };
}

function tokenIn(text: string): string | undefined {
  return /tinkerbell_boot_token=(\S*)/.exec(text)?.[1];
}

const named = (state: string, uid: string): Workflow => {
  const made = workflow(state);
  return { ...made, metadata: { ...made.metadata, uid } };
};

test('every rendering has a new token, for the MAC and no workflow', async () => {
  const stage = scene({});
  assert.equal(await stage.script(), 'token-1-for-02005e100001-none');
  assert.equal(await stage.script(), 'token-2-for-02005e100001-none');
});

test('PXELINUX and GRUB get a token too', async () => {
  const stage = scene({});
  assert.match((await stage.loader(`pxelinux.cfg/01-${MAC.replaceAll(':', '-')}`)) ?? '', /^token-1/);
  assert.match((await stage.loader(`grub.cfg-01-${MAC.replaceAll(':', '-')}`)) ?? '', /^token-2/);
});

test('a token is for the workflow that runs, is in preparation, or waits', async () => {
  const [running, preparing, pending] = [
    named('RUNNING', 'r'),
    named('PREPARING', 'p'),
    named('PENDING', 'w'),
  ];
  const uidOf = async (...workflows: Workflow[]) => (await scene({ workflows }).script())?.split('-').at(-1);
  assert.equal(await uidOf(pending, preparing, running), 'r');
  assert.equal(await uidOf(pending, preparing), 'p');
  assert.equal(await uidOf(named('SUCCESS', 's'), pending), 'w');
  assert.equal(await uidOf(named('', 'new')), 'none');
});

test('a request from another address gets the script without a token', async () => {
  const stage = scene({});
  assert.equal(await stage.script(OTHER), '');
  assert.equal(await stage.script('192.168.77.200'), '');
  assert.equal(await stage.loader(`pxelinux.cfg/01-${MAC.replaceAll(':', '-')}`, OTHER), '');
});

test('where another server assigns the addresses, any address but that of another machine is accepted', async () => {
  const proxied = scene({ mode: 'proxy' });
  assert.match((await proxied.script('192.168.77.200')) ?? '', /^token/);
  assert.equal(await proxied.script(OTHER), '');
});

test('without a mint there is no kernel argument', async () => {
  const config = rackConfig();
  const deps = {
    clock: nodeClock,
    journal: recordingJournal(),
    view: fixedView([machine()]),
    log: silentLog,
  };
  const bootFiles = { ownHookIpxe: async () => undefined };
  const route = createScriptRoutes({
    deps,
    config,
    metrics: createBootMetrics(new MetricSet()),
    files: bootFiles,
  })[0]!;
  const context = {
    peer: { address: OWN, port: 1 },
    localAddress: OWN,
    signal: new AbortController().signal,
  };
  const response = await route.handle(new Request(`http://server/ipxe/script/${MAC}/auto.ipxe`), context);
  assert.doesNotMatch((await response?.text()) ?? '', /tinkerbell_boot_token/);
});
