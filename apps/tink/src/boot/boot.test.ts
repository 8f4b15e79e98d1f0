import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bootsIn } from '@tinkerbell/diagnosis';
import {
  action,
  download,
  failure,
  firmware,
  ignored,
  loader,
  script,
  success,
  system,
  timelineOf,
  type Line,
} from '@tinkerbell/diagnosis/testing';
import { bootPage, bootText } from './boot-page.ts';

const pagesOf = (lines: readonly Line[]) => bootsIn(timelineOf(lines)).map((boot) => bootPage(boot));
const toScript = [...firmware(), ...loader(), ...script()];
const install = [...toScript, ...download(), ...system(), ...action(), ...success()];

describe('a boot begins', () => {
  const created: Line = [-100, 'workflow/state-changed', 'workflow is PENDING', { from: '', to: 'PENDING' }];
  const rows: readonly (readonly [name: string, lines: readonly Line[], counts: readonly number[]])[] = [
    ['nowhere in an empty timeline', [], []],
    ['not with a workflow', [created], []],
    ['with the first packet, whatever was before', [created, ...firmware()], [2]],
    ['with a packet that is ignored', [ignored(0, 'no-netboot-data', 'x')], [1]],
    ['not with the questions of iPXE', [...firmware(), ...loader()], [5]],
    ['not with the operating system’s question', [...toScript, ...download(), ...system()], [14]],
    ['not when firmware asks again and again', [...firmware(0), ...firmware(60), ...firmware(120)], [6]],
    ['after a pause', [...firmware(0), ...firmware(151)], [2, 2]],
    ['when firmware asks after it had its script', [...toScript, ...firmware(20)], [6, 2]],
    [
      'when anything asks after an agent was at work',
      [...install, ...firmware(40), ...loader(41), ...script(43, 'local-boot')],
      [21, 6],
    ],
    [
      'not with a renewed lease',
      [...install, [60, 'dhcp/acknowledge-sent', 'renewed', { client: 'an operating system' }]],
      [22],
    ],
    [
      'not with progress after a long pause',
      [...toScript, ...download(), ...system(), ...action(), ...success(900)],
      [21],
    ],
    ['with an ISO image', [[0, 'http/iso-started', 'reads', { bytes: 1 }]], [1]],
  ];
  for (const [name, lines, counts] of rows) {
    test(name, () => {
      assert.deepEqual(
        bootsIn(timelineOf(lines)).map((boot) => boot.length),
        counts,
      );
    });
  }
});

describe('the verdict', () => {
  const rows: readonly (readonly [
    name: string,
    lines: readonly Line[],
    state: string,
    text: RegExp,
    next: RegExp | undefined,
  ])[] = [
    ['an offer', [firmware()[0]!], 'underway', /got an offer/, /tink preflight/],
    ['an address', firmware(), 'underway', /got its address/, /UDP 69/],
    ['a boot loader', [...firmware(), loader()[0]!], 'underway', /loaded its boot loader/, /TCP 7080/],
    ['a script', toScript, 'underway', /got its script/, /console/],
    ['half a kernel', [...toScript, download()[0]!], 'underway', /is loading its operating system/, /rate/],
    ['a kernel', [...toScript, ...download()], 'underway', /has not contacted the server/, /driver/],
    [
      'a system',
      [...toScript, ...download(), ...system()],
      'underway',
      /has not requested an action/,
      /42113/,
    ],
    [
      'an action',
      [...toScript, ...download(), ...system(), ...action()],
      'underway',
      /its workflow is running/,
      /-w/,
    ],
    ['success', install, 'done', /m1-debian succeeded/, undefined],
    [
      'failure',
      [...toScript, ...action(), ...failure()],
      'stopped',
      /FAILED: install \/ stream image failed.*no such disk/,
      /workflow retry m1-debian/,
    ],
    [
      'local boot',
      [...firmware(), ...loader(), ...script(3, 'local-boot')],
      'done',
      /to its local disk/,
      /retry/,
    ],
    [
      'no netboot data',
      [ignored(0, 'no-netboot-data', 'spec.interfaces[0] needs both dhcp and netboot')],
      'stopped',
      /spec\.interfaces\[0\] needs both dhcp and netboot/,
      /both dhcp and netboot/,
    ],
    [
      'two Hardware',
      [ignored(0, 'several-hardware', 'the MAC is in several Hardware: default/a, default/b')],
      'stopped',
      /default\/a, default\/b/,
      /delete all but one/,
    ],
    [
      'a trouble that passed',
      [ignored(0, 'address-being-probed', 'x'), ignored(1, 'no-netboot-data', 'x'), ...firmware(2)],
      'underway',
      /got its address/,
      /UDP 69/,
    ],
    [
      'a harmless reason',
      [...firmware(), ignored(5, 'not-a-netboot-client', 'x')],
      'underway',
      /got its address/,
      /UDP 69/,
    ],
    [
      'a missing file',
      [...firmware(), [2, 'tftp/file-not-found', 'TFTP has no file x', { file: 'x' }]],
      'stopped',
      /TFTP has no file x/,
      /tftp-asset-dir/,
    ],
    [
      'a refused script',
      [
        ...firmware(),
        ...loader(),
        [3, 'http/script-refused', 'no iPXE script: netboot-not-allowed', { outcome: 'netboot-not-allowed' }],
      ],
      'stopped',
      /waiting for its script/,
      /allowPXE/,
    ],
    [
      'another server',
      [...firmware(), ignored(3, 'other-server-selected', 'the client chose 192.0.2.1')],
      'stopped',
      /192\.0\.2\.1/,
      /preflight/,
    ],
  ];
  for (const [name, lines, state, text, next] of rows) {
    test(name, () => {
      const verdict = pagesOf(lines).at(-1)?.verdict;
      assert.equal(verdict?.state, state);
      assert.match(verdict?.text ?? '', text);
      if (next === undefined) assert.equal(verdict?.next, undefined);
      else assert.match(verdict?.next ?? '', next);
    });
  }
});

test('stages follow each other without gaps, and make up the total', () => {
  const [page] = pagesOf(install);
  assert.deepEqual(
    page?.stages.map(({ stage, atMs }) => [stage, atMs]),
    [
      ['firmware', 0],
      ['boot loader', 1500],
      ['script', 3000],
      ['kernel and initramfs', 4000],
      ['in-memory OS', 10_000],
      ['workflow actions', 15_000],
    ],
  );
  assert.equal(
    page?.stages.reduce((sum, { durationMs }) => sum + durationMs, 0),
    page?.totalMs,
  );
});

test('a transfer, an action and a flood of syslog messages are one step each', () => {
  const [page] = pagesOf(install);
  const step = (message: RegExp) => page?.steps.filter((one) => message.test(one.message));
  assert.deepEqual(
    step(/initramfs/)?.map(({ stage, atMs, durationMs, bytes, bytesPerSecond }) => [
      stage,
      atMs,
      durationMs,
      bytes,
      bytesPerSecond,
    ]),
    [['kernel and initramfs', 5000, 1000, 90_000_000, 90_000_000]],
  );
  assert.deepEqual(
    step(/stream image/)?.map(({ stage, event, durationMs, count }) => [stage, event, durationMs, count]),
    [['workflow actions', 'action-succeeded', 15_000, 1]],
  );
  assert.deepEqual(
    step(/agent: starting/)?.map(({ count }) => count),
    [2],
  );
  assert.deepEqual(
    step(/ipxe\.efi by TFTP/)?.map(({ atMs, bytesPerSecond }) => [atMs, bytesPerSecond]),
    [[1000, 2_000_000]],
  );
  assert.equal(step(/debian\.raw/)?.[0]?.stage, 'workflow actions');
});

test('the text includes steps that are out of order, like the JSON', () => {
  const late = ignored(60, 'other-server-selected', 'the client chose 192.0.2.1');
  const file: Line = [
    0,
    'tftp/file-sent',
    'early.efi by TFTP',
    { file: 'early.efi', bytes: 1, milliseconds: 1 },
  ];
  const script: Line = [1, 'http/script-served', 'iPXE script served: hook', { outcome: 'hook' }];
  for (const lines of [
    [script, file],
    [...install, late, file],
  ]) {
    const page = bootPage(bootsIn(timelineOf(lines))[0]!);
    const text = bootText('m1', page);
    for (const { message } of page.steps) assert.ok(text.includes(message.trim()), message);
  }
});

test('a workflow that an operator ended is not reported as a failure', () => {
  const cancelled: readonly Line[] = [
    [40, 'workflow/operator-cancel', 'cancelled by alice: wrong disk', {}],
    [40, 'workflow/state-changed', 'workflow is FAILED', { from: 'RUNNING', to: 'FAILED' }],
  ];
  const [page] = pagesOf([...toScript, ...action(), ...cancelled]);
  assert.match(page?.verdict.text ?? '', /m1-debian was cancelled: cancelled by alice: wrong disk/);
});

test('a boot that stopped quotes the last lines of the serial console, and an installed machine does not', () => {
  const [stopped] = bootsIn(timelineOf([...toScript, ...download()]));
  const printed = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const text = bootText('m1', bootPage(stopped!, [...printed, 'Kernel panic\u001b[2J']));
  assert.match(text, /\nLast lines on its serial console\n  line 29\n(  line \d+\n){10}  Kernel panic.*\n$/);
  assert.ok(!text.includes('\u001b'));
  const [done] = bootsIn(timelineOf(install));
  assert.doesNotMatch(bootText('m1', bootPage(done!, printed)), /Last lines/);
});

test('the text is complete and cannot move the cursor', () => {
  const text = bootText(
    'm1',
    bootPage(bootsIn(timelineOf([...install, [50, 'syslog/message-received', '\u001b[2J']]))[0]!),
  );
  assert.ok(!text.includes('\u001b'));
  assert.match(text, /^m1: the workflow default\/m1-debian succeeded\n/);
  assert.match(text, /\nkernel and initramfs\n.*\+4\.00 s +1\.00 s +10\.0 MB +10\.0 MB\/s/);
  assert.match(text, /Time by stage\n +firmware +1\.50 s/);
});
