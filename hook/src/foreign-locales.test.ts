import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { blankLocales } from './foreign-locales.ts';
import { runCommand } from './run-command.ts';

/** What the executable prints for a program. */
async function printed(node: string, program: string): Promise<string> {
  return (await runCommand(node, ['--input-type=module', '--eval', program])).trim();
}

const ENGLISH = `
  const berlin = { timeZone: 'Europe/Berlin' };
  console.log(JSON.stringify([
    new Intl.NumberFormat().format(1234.5),
    new Date(0).toLocaleString('en-US', berlin),
    new Intl.RelativeTimeFormat('en').format(-1, 'day'),
    ['b', 'ä', 'a', 'B'].sort((one, other) => one.localeCompare(other)),
    'ﬁ é'.normalize('NFKD'),
    'ẞ'.toLowerCase() + 'ß'.toUpperCase(),
    /\\p{Script=Greek}/u.test('α'),
    new URL('http://bücher.example').host,
    new TextDecoder('shift_jis').decode(new Uint8Array([0x82, 0xa0])),
    new TextDecoder('gb18030').decode(new Uint8Array([0xc4, 0xe3])),
  ]));`;

/** Every service of Intl in every language that this Node knows. */
const LANGUAGES = `
  const known = ['de', 'zh-Hant-TW', 'ar', 'ja', 'th', 'hi', 'sr-Latn', 'pt-BR', 'he', 'ko', 'fa', 'bn', 'xx'];
  let made = 0;
  for (const language of known) {
    new Intl.NumberFormat(language, { style: 'currency', currency: 'EUR' }).format(1);
    new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'full' }).format(0);
    new Intl.Collator(language).compare('a', 'b');
    new Intl.PluralRules(language).select(2);
    new Intl.ListFormat(language).format(['a', 'b']);
    new Intl.RelativeTimeFormat(language).format(1, 'day');
    new Intl.DisplayNames(language, { type: 'region' }).of('DE');
    [...new Intl.Segmenter(language, { granularity: 'word' }).segment('a b')];
    'i'.toLocaleUpperCase(language);
    made += 1;
  }
  console.log(made === known.length, new Intl.NumberFormat('de').format(1234.5));`;

test('Node without other languages is the same in English, and has its root data for the others', async () => {
  const content = readFileSync(process.execPath);
  const blanked = blankLocales(content);
  assert.ok(blanked > 10e6 && blanked < 25e6, `${blanked} bytes`);
  assert.equal(blankLocales(content), blanked, 'a second time finds the same');
  const directory = mkdtempSync(join(tmpdir(), 'foreign-locales-'));
  const node = join(directory, 'node');
  writeFileSync(node, content, { mode: 0o755 });
  try {
    assert.equal(await printed(node, ENGLISH), await printed(process.execPath, ENGLISH));
    assert.equal(await printed(process.execPath, LANGUAGES), 'true 1.234,5');
    assert.equal(await printed(node, LANGUAGES), 'true 1,234.5');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('an executable without the data stays as it is', () => {
  const content = readFileSync('/bin/true');
  const before = Buffer.from(content);
  assert.equal(blankLocales(content), 0);
  assert.deepEqual(content, before);
});
