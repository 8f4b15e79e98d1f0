import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from './build-place.ts';

/** Of the image, the launcher is text in its recipe. */
const STARTS = [
  'packaging/debian/tinkerbell.sh',
  'packaging/npm/tinkerbell.mjs',
  'packaging/src/image/server-image.ts',
];

const textOf = (path: string): string => readFileSync(join(CHECKOUT, path), 'utf8');

test("every package starts the server with V8's flags of a checkout", () => {
  const ofCheckout = textOf('apps/server/src/main.mjs') + textOf('bin/tinkerbell');
  const flags = ofCheckout.match(/--(?:max-semi|sparkplug|maglev|turbo|heap|no-allocation)[\w=-]+/g) ?? [];
  assert.equal(flags.length, 6, flags.join(' '));
  for (const path of STARTS)
    for (const flag of flags) assert.ok(textOf(path).includes(flag), `${path}: ${flag}`);
});
