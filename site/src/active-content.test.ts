import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { elementsOf } from './testing/elements.ts';
import { renderSite } from './render-site.ts';

/** Pieces of attacks, and of the Markdown around which they may change their meaning. */
const pieces = fc.constantFrom(
  '<script>',
  '</script>',
  '<script src=//evil.example/x.js',
  '<img src=x onerror=alert(1)>',
  '<img src=x onerror=alert(1) ',
  '<svg onload=alert(1)>',
  '<iframe srcdoc="',
  '<pre>',
  '</pre>',
  '<style>',
  '<a href="javascript:alert(1)">',
  '<!--',
  '-->',
  '<![CDATA[',
  'javascript:alert(1)',
  'JaVaScRiPt&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>',
  'vbscript:x',
  '" onmouseover="alert(1)',
  "' onfocus='alert(1)",
  'https://example.org/"onclick="x',
  '//evil.example',
  'a.md',
  '#a',
  'a.png',
  '[',
  '](',
  ')',
  '![',
  '[x]: ',
  '<',
  '>',
  '"',
  "'",
  '`',
  '```',
  '```html"onclick="x',
  '\\',
  '&lt;',
  '&quot;',
  '&',
  '# ',
  '- ',
  '> ',
  '| ',
  '|---|---|',
  '*',
  '_',
  '\n',
  '\n\n',
  '    ',
  ' ',
  'text',
  '\0',
  '\u2028',
);
const documents = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));

const ELEMENTS = new Set(
  'html head meta title link body header a div main nav details summary ul ol li p h1 h2 h3 h4 h5 h6 code pre em strong del blockquote table thead tbody tr th td img hr br input'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'lang charset name content http-equiv rel href class id aria-label aria-current open src alt align start type disabled checked'.split(
    ' ',
  ),
);

test('no script, event attribute or address with another scheme survives', () => {
  fc.assert(
    fc.property(documents, (text) => {
      const pages = new Map([
        ['README.md', text],
        ['a.md', '# a'],
      ]);
      const site = renderSite({ pages, files: new Set(['README.md', 'a.md', 'a.png']) });
      const shown = ['index.html', 'all-headings.html'].map((path) => site.pages.get(path) ?? '');
      for (const { name, attributes } of shown.flatMap(elementsOf)) {
        assert.ok(ELEMENTS.has(name), `element ${name}`);
        for (const [attribute, value] of attributes) {
          assert.ok(ATTRIBUTES.has(attribute), `attribute ${attribute} of ${name}`);
          if (attribute === 'href')
            assert.match(value, /^(https?:\/\/|mailto:|#|(index|a|all-headings)\.html|a\.png$|style\.css$)/);
          if (attribute === 'src') assert.equal(value, 'a.png');
        }
      }
    }),
    { seed: 20_261_126, numRuns: 20_000 },
  );
});
