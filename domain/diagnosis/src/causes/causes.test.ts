/** Each cause is found when it is due, and not before. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnose } from '../diagnose.ts';
import type { Hardware } from '@tinkerbell/resources';
import type { Observation } from '../facts.ts';
import { action, firmware, loader, script, START_MS, type Line } from '../testing/boot-timeline.ts';
import { observation, rows, toSystem, withDetails, workflow } from '../testing/cause-rows.ts';
import { causes } from './causes.ts';

describe('the cause', () => {
  for (const [id, row] of Object.entries(rows))
    test(id, () => {
      const { verdict } = diagnose(observation(row, row.at));
      assert.equal(verdict.cause, id, verdict.text);
      assert.ok(verdict.evidence.length > 0 && verdict.advice.length > 0);
      assert.ok((verdict.sinceMs ?? 0) > 0);
      if (row.isTimeless === true) return;
      const before = diagnose(observation(row, row.at - 2)).verdict;
      assert.notEqual(before.cause, id, 'it was found before it was due');
    });
});

test('every cause has a row, and an id, text and advice for people', () => {
  assert.deepEqual(causes.map(({ id }) => id).toSorted(), Object.keys(rows).toSorted());
  for (const { id, sentence, shows, against, advice } of causes) {
    assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    for (const text of [sentence, shows, against, ...advice])
      assert.match(text, /^([A-Z]|iPXE|tink |docs\/).*\.$/, `${id}: ${text}`);
    assert.ok(sentence.length <= 100, id);
  }
});

test('an iPXE that is sent to its disk although a workflow waits is not allowed to netboot', () => {
  const hardwareThat = (allowPXE: boolean): Hardware => ({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm1', namespace: 'default' },
    spec: { interfaces: [{ netboot: { allowPXE } }] },
  });
  const causeOf = (allowPXE: boolean, state: string, at = 60) => {
    const observed = { hardware: hardwareThat(allowPXE), workflows: [workflow('w', state)] };
    return diagnose(observation({ lines: [...firmware(), ...script(3, 'local-boot')], at, observed }, at))
      .verdict.cause;
  };
  assert.equal(causeOf(false, 'PENDING'), 'netboot-not-allowed');
  assert.equal(causeOf(false, 'PENDING', 4), undefined, 'it is not settled');
  assert.equal(causeOf(false, 'SUCCESS'), undefined, 'its work is done');
  assert.equal(causeOf(true, 'PENDING'), undefined, 'it was allowed after its script');
});

test('a workflow that exceeds its own timeout has timed out, and one that was cancelled has not failed', () => {
  const ended = (to: string): Line => [
    30,
    'workflow/state-changed',
    `workflow is ${to}`,
    { from: 'RUNNING', to },
  ];
  const begun = [...toSystem, ...action()];
  const verdictOf = (...lines: readonly Line[]) =>
    diagnose(observation({ lines: [...begun, ...lines], at: 40 }, 40)).verdict;
  const causeOf = (...lines: readonly Line[]) => verdictOf(...lines).cause;
  assert.equal(causeOf(ended('TIMEOUT')), 'action-timed-out');
  assert.equal(causeOf(ended('FAILED')), 'action-failed');
  assert.equal(causeOf([29, 'workflow/operator-cancel', 'cancelled by alice'], ended('FAILED')), undefined);
  assert.equal(
    verdictOf(ended('FAILED'), [35, 'workflow/operator-retry', 'retried by alice']).state,
    'working',
  );
});

test('a BMC that keeps its old boot device ignores it', () => {
  const message = 'BMC Job j failed: the BMC accepted "boot from pxe once (UEFI)" 2 times, and reports disk';
  const lines: readonly Line[] = [[0, 'bmc/bmc-job-failed', message]];
  assert.equal(diagnose(observation({ lines, at: 1 }, 1)).verdict.cause, 'boot-override-ignored');
});

test('a transfer that timed out just before its step is overdue is not taken for a request that did not arrive', () => {
  const timedOut = { file: 'ipxe.efi', outcome: 'timed-out' };
  const lines: readonly Line[] = [
    ...firmware(),
    [36, 'tftp/transfer-failed', 'ipxe.efi by TFTP, 0 bytes, timed-out', timedOut],
  ];
  const diagnosisAt = (at: number) => diagnose(observation({ lines, at }, at));
  assert.equal(diagnosisAt(41).verdict.state, 'booting');
  assert.equal(diagnosisAt(41).againMs, START_MS + 44_000);
  assert.equal(diagnosisAt(44).verdict.cause, 'tftp-timeout');
});

test('files of a machine without an address in its Hardware are not seen, so silence counts when its agent is overdue too', () => {
  const lines = toSystem.slice(0, -5).filter(([, what]) => !what.startsWith('image/'));
  const hardware = {
    ...observation({ lines: [], at: 0 }, 0).hardware!,
    spec: { interfaces: [{ dhcp: {} }] },
  };
  const causeAt = (at: number, observed: Partial<Observation> = { hardware }) =>
    diagnose(observation({ lines, at, observed }, at)).verdict.cause;
  assert.equal(causeAt(60, {}), 'kernel-not-requested');
  assert.equal(causeAt(180), undefined);
  assert.equal(causeAt(200), 'kernel-not-requested');
});

test('an agent reports that the disk of the server is full', () => {
  const message =
    'hook: agent: reason=UNAVAILABLE: the session cannot be verified: PlatformError: the store could not write: database or disk is full';
  const lines: readonly Line[] = [...toSystem, [14, 'syslog/message-received', message]];
  const causeAt = (at: number) => diagnose(observation({ lines, at }, at)).verdict.cause;
  assert.equal(causeAt(18), undefined);
  assert.equal(causeAt(20), 'server-disk-full');
});

test('a failure of the BMC ends the workflow, and counts until the workflow is retried, cancelled or deleted', () => {
  const ended = { from: 'PREPARING', to: 'FAILED' };
  const lines: readonly Line[] = [
    [0, 'bmc/bmc-job-failed', 'BMC Job j failed: wrong-credentials'],
    [1, 'workflow/state-changed', 'workflow is FAILED: job failed', ended],
  ];
  const failed = { workflows: [workflow('w', 'FAILED')] };
  const causeOf = (more: readonly Line[], observed: Partial<Observation> = failed) =>
    diagnose(observation({ lines: [...lines, ...more], at: 9, observed }, 9)).verdict.cause;
  assert.equal(causeOf([]), 'bmc-failed');
  assert.equal(causeOf([], { workflows: [] }), undefined);
  assert.equal(causeOf([[2, 'workflow/operator-cancel', 'cancelled by alice']]), undefined);
  const retried = { from: 'FAILED', to: 'PREPARING' };
  assert.equal(causeOf([[2, 'workflow/state-changed', 'workflow is PREPARING', retried]]), undefined);
});

test('HTTP is blocked also when the firmware tries its own HTTP boot after the boot loader gave up', () => {
  const client = { client: 'UEFI HTTP boot', file: 'http://10.0.0.1/ipxe.efi' };
  const lines = [...firmware(), ...loader(), ...withDetails(firmware(30), client)];
  assert.equal(diagnose(observation({ lines, at: 75 }, 75)).verdict.cause, 'http-blocked');
});

test('a machine that declines its address twice has a duplicate, however slowly it asks again', () => {
  const os = { client: 'an operating system', file: '' };
  const acknowledge = (at: number): Line => [at, 'dhcp/acknowledge-sent', 'acknowledge of 10.0.9.5', os];
  const decline = (at: number): Line => [at, 'dhcp/address-declined', 'in use by another'];
  const lines = [
    ...toSystem.slice(0, -3),
    acknowledge(20),
    decline(20.2),
    [21, 'workflow/state-changed', 'PENDING', { to: 'PENDING' }] as const,
    acknowledge(26),
    decline(32.2),
    acknowledge(35),
  ];
  const causeAt = (all: readonly Line[], at: number) =>
    diagnose(observation({ lines: all, at }, at)).verdict.cause;
  assert.equal(causeAt(lines, 35), 'duplicate-address');
  assert.equal(causeAt(lines.slice(0, -2), 35), undefined, 'it may use its address after one decline');
  const overcome: Line = [35.5, 'syslog/message-received', 'hook: network: eth0 has 10.0.9.6'];
  assert.equal(causeAt([...lines, overcome], 36), undefined);
});

test('a machine that declines its address each time it gets it has a duplicate, and one that got another address has not', () => {
  const os = { client: 'an operating system', file: '' };
  const again = (at: number): readonly Line[] => [
    [at, 'dhcp/offer-sent', 'discover: offer of 10.0.9.5', os],
    [at + 0.1, 'dhcp/acknowledge-sent', 'request: acknowledge of 10.0.9.5', os],
  ];
  const declined: Line = [20.2, 'dhcp/address-declined', 'the machine finds 10.0.9.5 in use by another'];
  const lines = [...toSystem.slice(0, -3), ...again(20), declined, ...[22, 24, 26].flatMap(again)];
  const causeAt = (all: readonly Line[], at: number) =>
    diagnose(observation({ lines: all, at }, at)).verdict.cause;
  assert.equal(causeAt(lines, 29), 'duplicate-address');
  assert.equal(causeAt(lines, 28), undefined);
  const overcome: Line = [26.5, 'syslog/message-received', 'hook: network: eth0 has 10.0.9.6'];
  assert.equal(causeAt([...lines, overcome], 29), undefined);
});
