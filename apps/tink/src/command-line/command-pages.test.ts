import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandPages } from './command-pages.ts';

const pages = commandPages();
const pageOf = (name: string) => pages.find((page) => page.name === name);

test('tink comes first, with the options of every command', () => {
  const [first] = pages;
  assert.equal(first?.name, 'tink');
  assert.ok(first.options.some(({ flags }) => flags === '-n, --namespace <name>'));
  assert.match(first.details, /^Exit codes: 0 success/);
});

test('a command below another has its whole name, its options and its examples', () => {
  const page = pageOf('tink workflow retry');
  assert.match(page?.usage ?? '', /^\[options\] </);
  assert.match(page?.description ?? '', /\S/);
  assert.ok(page?.options.some(({ flags }) => flags.startsWith('--why')));
  assert.match(pageOf('tink completion')?.details ?? '', /^Examples:\n {2}source <\(tink completion bash\)/);
});

test('hidden commands have no page', () => {
  assert.equal(pageOf('tink __complete'), undefined);
  assert.equal(pageOf('tink help'), undefined);
});
