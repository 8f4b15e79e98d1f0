import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorsOf } from './anchors.ts';

test('an anchor has lower case, no punctuation and hyphens', () => {
  assert.deepEqual(
    anchorsOf([
      'Add a `tink` command, or a column',
      '1. The firmware asks',
      'IPv6 & DHCP',
      'snake_case',
      'Größe',
    ]),
    ['add-a-tink-command-or-a-column', '1-the-firmware-asks', 'ipv6--dhcp', 'snake_case', 'größe'],
  );
});

test('repeated headings are numbered, beside headings that have a number themselves', () => {
  assert.deepEqual(anchorsOf(['Run', 'Run', 'Run 1', 'Run', 'Run-1']), [
    'run',
    'run-1',
    'run-1-1',
    'run-2',
    'run-1-2',
  ]);
});
