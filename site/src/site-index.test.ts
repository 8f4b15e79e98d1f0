import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSite } from './render-site.ts';

function pagesOf(pages: Record<string, string>): ReadonlyMap<string, string> {
  return renderSite({ pages: new Map(Object.entries(pages)), files: new Set(Object.keys(pages)) }).pages;
}

const pages = pagesOf({
  'README.md': '# Site\n## Start & stop\n## Ports',
  'docs/guides/a.md': '# Guide\n## Ports\n### More',
  'docs/reference/server.md': [
    '# Server',
    '| flag | |',
    '|---|---|',
    '| `--zone` | first |',
    '## Flags',
    '| flag | |',
    '|---|---|',
    '| `--bind`, `--dhcp` | second |',
    '| a `word` within text | third |',
  ].join('\n'),
});
const index = pages.get('all-headings.html') ?? '';

test('every page links to the index', () => {
  assert.match(pages.get('index.html') ?? '', /<a href="all-headings.html">Index<\/a>/);
  assert.match(pages.get('docs/guides/a.html') ?? '', /<a href="..\/..\/all-headings.html">Index<\/a>/);
  assert.match(index, /<a href="all-headings.html" aria-current="page">Index<\/a>/);
});

test('the headings of a page follow its title, in the order of the page', () => {
  assert.ok(
    index.includes(
      '<li><strong><a href="docs/guides/a.html">Guide</a></strong><br>' +
        '<a href="docs/guides/a.html#ports">Ports</a>, <a href="docs/guides/a.html#more">More</a></li>',
    ),
  );
});

test('headings and code that starts a row are in the order of the alphabet, each with its pages', () => {
  const terms = index.slice(index.indexOf('id="index:terms"'));
  const rows = [...terms.matchAll(/<li>(.*)<\/li>/g)].map(([, row = '']) => row);
  assert.deepEqual(rows.slice(0, 11), [
    '<code>--bind</code>: <a href="docs/reference/server.html#flags">Server</a>',
    '<code>--dhcp</code>: <a href="docs/reference/server.html#flags">Server</a>',
    'Flags: <a href="docs/reference/server.html#flags">Server</a>',
    'Guide: <a href="docs/guides/a.html">Guide</a>',
    'More: <a href="docs/guides/a.html#more">Guide</a>',
    'Ports: <a href="index.html#ports">Site</a>, <a href="docs/guides/a.html#ports">Guide</a>',
    'Server: <a href="docs/reference/server.html">Server</a>',
    'Site: <a href="index.html">Site</a>',
    'Start &amp; stop: <a href="index.html#start--stop">Site</a>',
    '<code>--zone</code>: <a href="docs/reference/server.html">Server</a>',
    // The navigation of the page follows.
    '<a href="index.html">Site</a>',
  ]);
});
