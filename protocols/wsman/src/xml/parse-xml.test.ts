import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml } from './parse-xml.ts';
import type { XmlElement } from './xml-element.ts';
import { xmlText } from './xml-text.ts';

function rootOf(text: string): XmlElement {
  const parsed = parseXml(text);
  assert.ok(parsed.ok, parsed.ok ? '' : `${parsed.error.code} at ${parsed.error.offset}`);
  return parsed.value;
}

const codeOf = (text: string): string => {
  const parsed = parseXml(text);
  return parsed.ok ? 'ok' : parsed.error.code;
};

test('elements, attributes, text, CDATA, comments and entities', () => {
  const root = rootOf(
    `\uFEFF<?xml version="1.0"?><!-- x --><a:A xmlns:a="u" b='1'> x &lt;&#65;&#x42; <c/><![CDATA[<&]]><d>  </d></a:A>\n`,
  );
  assert.deepEqual([root.name, root.attributes, root.text], ['A', { a: 'u', b: '1' }, 'x <AB <&']);
  assert.deepEqual(
    root.children.map(({ name, text }) => [name, text]),
    [
      ['c', ''],
      ['d', ''],
    ],
  );
});

test('text that is not XML', () => {
  for (const text of [
    '',
    'x',
    '<',
    '<a',
    '<a>',
    '<a></b>',
    '</a>',
    '<a/><b/>',
    '<a/>x',
    '<a b=c/>',
    '<a>&x;</a>',
    '<a>&#0;</a>',
    '<a><![CDATA[</a>',
    '<![CDATA[x]]><a/>',
    '<a b="<"/>',
  ])
    assert.equal(codeOf(text), 'not-xml', text);
  assert.equal(codeOf('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), 'document-type');
});

test('depth and the number of elements are limited, in linear time', () => {
  assert.equal(codeOf('<a>'.repeat(10_000)), 'too-deep');
  assert.equal(codeOf(`<a>${'<b/>'.repeat(200_000)}</a>`), 'too-many-elements');
  assert.equal(codeOf(`<a ${'b="c" '.repeat(20_000)}/>`), 'ok');
  assert.equal(codeOf(`<a>${' '.repeat(500_000)}</a>`), 'ok');
  assert.equal(codeOf(`<${' '.repeat(500_000)}`), 'not-xml');
  assert.equal(codeOf(`<a${' '.repeat(500_000)}b`), 'not-xml');
});

test('what is written is read again', () => {
  const text = `<a & "b" 'c'>\u0001\uFFFE é 日`;
  assert.equal(rootOf(`<x y="${xmlText(text)}">${xmlText(text)}</x>`).text, `<a & "b" 'c'> é 日`);
});

test('a hundred thousand mutated texts are read or refused', () => {
  const base = `<?xml version="1.0"?><s:E xmlns:s="u"><s:B a="1" b='2'>x&amp;y<!-- c --><![CDATA[z]]></s:B><c/></s:E>`;
  const pieces = [
    '<',
    '>',
    '/',
    '"',
    "'",
    '&',
    ';',
    '=',
    '<a>',
    '</a>',
    '<!--',
    ']]>',
    '<![CDATA[',
    '&#x',
    '\0',
    ' ',
    'xmlns:',
  ];
  let seed = 7;
  const below = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % limit;
  };
  const codes = new Set<string>();
  for (let count = 0; count < 100_000; count += 1) {
    let text = base;
    for (let change = 0; change <= below(4); change += 1) {
      const at = below(text.length);
      text = text.slice(0, at) + (pieces[below(pieces.length)] ?? '') + text.slice(at + below(6));
    }
    codes.add(codeOf(text));
  }
  assert.deepEqual([...codes].toSorted(), ['document-type', 'not-xml', 'ok']);
});
