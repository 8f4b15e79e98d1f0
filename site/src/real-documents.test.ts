import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, test } from 'node:test';
import { elementsOf } from './testing/elements.ts';

const folder = mkdtempSync(join(tmpdir(), 'docs-site-'));
after(() => rmSync(folder, { recursive: true }));
const main = join(import.meta.dirname, 'main.ts');
const write = (name: string): string =>
  execFileSync(process.execPath, [main, '--out', join(folder, name)], { encoding: 'utf8' });
const filesOf = (name: string): string[] =>
  readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(join(folder, name), join(entry.parentPath, entry.name)))
    .sort();
const output = write('one');
const pages = new Map(
  filesOf('one')
    .filter((file) => file.endsWith('.html'))
    .map((file) => [file, elementsOf(readFileSync(join(folder, 'one', file), 'utf8'))]),
);

test('every address and anchor of every page leads somewhere', () => {
  const ids = new Map(
    [...pages].map(([path, elements]) => [path, elements.map((one) => one.attributes.get('id'))]),
  );
  const lost: string[] = [];
  for (const [path, elements] of pages)
    for (const { attributes } of elements) {
      const address = attributes.get('href') ?? attributes.get('src');
      if (address === undefined || /^(https?:|mailto:)/.test(address)) continue;
      const [file = '', anchor] = address.split('#').map(decodeURIComponent);
      const target = file === '' ? path : posix.join(posix.dirname(path), file);
      const isThere = existsSync(join(folder, 'one', target));
      if (!isThere || (anchor !== undefined && ids.get(target)?.includes(anchor) !== true))
        lost.push(`${path}: ${address}`);
    }
  assert.deepEqual(lost, []);
  assert.match(output, new RegExp(`^${pages.size} pages, \\d+ links and \\d+ images are in `));
});

test('an id is used once on a page', () => {
  const repeated = [...pages].flatMap(([path, elements]) => {
    const ids = elements.flatMap(({ attributes }) => attributes.get('id') ?? []);
    return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${path}#${id}`);
  });
  assert.deepEqual(repeated, []);
});

test('a page loads only its style and images of the site', () => {
  const loads = [...pages.values()]
    .flat()
    .filter(({ name }) => /^(script|link|img|iframe|style)$/.test(name));
  const addresses = loads.map(({ attributes }) => attributes.get('href') ?? attributes.get('src') ?? 'none');
  assert.deepEqual(
    addresses.filter((address) => !/^(\.\.\/)*([\w-]+\/)*[\w-]+\.(css|png|svg)$/.test(address)),
    [],
  );
  assert.ok(!/@import|url\(/.test(readFileSync(join(folder, 'one/style.css'), 'utf8')));
});

test('two runs write the same bytes, and the second replaces an earlier site', () => {
  write('two');
  writeFileSync(join(folder, 'two/old.html'), '');
  write('two');
  assert.deepEqual(filesOf('two'), filesOf('one'));
  for (const file of filesOf('one'))
    assert.deepEqual(readFileSync(join(folder, 'two', file)), readFileSync(join(folder, 'one', file)), file);
});

test('a folder with other files is left as it is', () => {
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'other/thesis.txt'), '');
  assert.throws(() => write('other'), /the folder has other files/);
  assert.deepEqual(filesOf('other'), ['thesis.txt']);
});

test('wrong options are errors without a stack', () => {
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => write('file'), /--out .*file: it is a file; name a new folder/);
  const wrong = spawnSync(process.execPath, [main, '--folder', 'x'], { encoding: 'utf8' });
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /^docs:site: Unknown option '--folder'/);
  assert.ok(!wrong.stderr.includes('    at '));
});
