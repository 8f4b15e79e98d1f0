import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSite, type Site } from './render-site.ts';

function siteOf(pages: Record<string, string>, files: readonly string[] = [], repository?: string): Site {
  return renderSite({
    pages: new Map(Object.entries(pages)),
    files: new Set([...Object.keys(pages), ...files]),
    repository,
  });
}

function mainOf(site: Site, path = 'index.html'): string {
  return /<main[^>]*>\n([\s\S]*)<\/main>/.exec(site.pages.get(path) ?? '')?.[1] ?? '';
}

test('links to pages, folders with a README, headings and images are rewritten', () => {
  const site = siteOf(
    {
      'README.md':
        '[a](docs/a.md#two-words) [b](docs/) [c](#here) [d](https://example.org/?a=1&b=2)\n\n![e](docs/e.png)\n# Here',
      'docs/a.md': '# Two words',
      'docs/README.md': '[up](../README.md)',
    },
    ['docs/e.png'],
  );
  assert.deepEqual(site.brokenLinks, []);
  assert.deepEqual(site.images, ['docs/e.png']);
  assert.match(mainOf(site), /<a href="docs\/a.html#two-words">a<\/a> <a href="docs\/index.html">b<\/a>/);
  assert.match(
    mainOf(site),
    /<a href="index.html#here">c<\/a> <a href="https:\/\/example.org\/\?a=1&amp;b=2">d<\/a>/,
  );
  assert.match(mainOf(site), /<img src="docs\/e.png" alt="e">/);
  assert.match(mainOf(site, 'docs/index.html'), /<h1>docs<\/h1>\n<p><a href="..\/index.html">up<\/a>/);
});

test('a link to a source file is plain text without a repository, and leads there with one', () => {
  const pages = { 'README.md': '[source](src/a.ts#L7), [all](src)' };
  assert.match(mainOf(siteOf(pages, ['src/a.ts'])), /<p>source, all<\/p>/);
  const linked = mainOf(siteOf(pages, ['src/a.ts'], 'https://example.org/o/n'));
  assert.match(linked, /<a href="https:\/\/example.org\/o\/n\/blob\/HEAD\/src\/a.ts#L7">source<\/a>/);
  assert.match(linked, /<a href="https:\/\/example.org\/o\/n\/tree\/HEAD\/src">all<\/a>/);
});

test('a broken link is reported with its file, its line and the reason', () => {
  const text = [
    '# Title',
    '',
    'A line, `[code](none.md)`,',
    'and [one](gone.md).',
    '',
    '| a | b |',
    '|---|---|',
    '| fine | fine |',
    '| x | [two](#nowhere) |',
    '',
    '- item',
    '  - [three](../../outside.md)',
    '- ![four](https://example.org/x.png) and ![five](a.md)',
    '- [six](%zz) and [seven](file:///etc/passwd)',
    '',
    '[eight][ref]',
    '',
    '[ref]: /a.md',
  ].join('\n');
  const broken = siteOf({ 'docs/a.md': text }).brokenLinks;
  assert.deepEqual(
    broken.map(({ path, line, link }) => `${path}:${line} ${link}`),
    [
      'docs/a.md:4 gone.md',
      'docs/a.md:9 #nowhere',
      'docs/a.md:12 ../../outside.md',
      'docs/a.md:13 https://example.org/x.png',
      'docs/a.md:13 a.md',
      'docs/a.md:14 %zz',
      'docs/a.md:14 file:///etc/passwd',
      'docs/a.md:16 /a.md',
    ],
  );
  assert.equal(broken[0]?.why, 'the repository has no docs/gone.md');
  assert.equal(broken[1]?.why, 'docs/a.md has no heading #nowhere');
});

test('raw HTML is visible as text, and its comments disappear', () => {
  const main = mainOf(
    siteOf({ 'README.md': '<!-- hidden -->\n\na <b onclick="x()">bold</b> word\n\n<div>\nblock\n</div>' }),
  );
  assert.ok(!main.includes('hidden'));
  assert.match(main, /a &lt;b onclick=&quot;x\(\)&quot;&gt;bold&lt;\/b&gt; word/);
  assert.match(main, /<p>&lt;div&gt;\nblock\n&lt;\/div&gt;/);
});

test('the title is the first heading, and a page lists its sections', () => {
  const page =
    siteOf({ 'README.md': '# Site', 'docs/a.md': '# A & b\n## One\n### Two\n#### Three' }).pages.get(
      'docs/a.html',
    ) ?? '';
  assert.match(page, /<title>A &amp; b - Site<\/title>/);
  assert.match(
    page,
    /<ul>\n<li class="level-2"><a href="#one">One<\/a><\/li>\n<li class="level-3"><a href="#two">Two<\/a><\/li>\n<\/ul>/,
  );
});
