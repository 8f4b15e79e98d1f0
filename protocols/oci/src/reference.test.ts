import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatReference, OciError, parseReference } from './index.ts';

const HEX = 'a'.repeat(64);

for (const [text, whole] of [
  ['alpine', 'docker.io/library/alpine:latest'],
  ['alpine:3.20', 'docker.io/library/alpine:3.20'],
  ['tinkerbell/hook', 'docker.io/tinkerbell/hook:latest'],
  ['quay.io/tinkerbell/actions/image2disk:v1', 'quay.io/tinkerbell/actions/image2disk:v1'],
  ['localhost/a', 'localhost/a:latest'],
  ['127.0.0.1:5000/a/b:t', '127.0.0.1:5000/a/b:t'],
  ['[fd00::1]:5000/a', '[fd00::1]:5000/a:latest'],
  [`quay.io/a@sha256:${HEX}`, `quay.io/a@sha256:${HEX}`],
  [`quay.io/a:v1@sha256:${HEX}`, `quay.io/a:v1@sha256:${HEX}`],
] as const)
  test(`${text} is ${whole}`, () => {
    const reference = parseReference(text);
    assert.equal(formatReference(reference), whole);
    assert.deepEqual(parseReference(whole), reference);
  });

for (const [text, reason] of [
  ['', /invalid repository/],
  ['UPPER/case', /invalid repository/],
  ['quay.io/', /invalid repository/],
  ['quay.io/a//b', /invalid repository/],
  ['quay.io/../etc', /invalid repository/],
  ['quay.io/a:', /invalid tag/],
  [`quay.io/a:${'t'.repeat(129)}`, /invalid tag/],
  ['quay.io/a@sha256:12', /not a digest/],
  ['quay.io/a@x@y', /more than one "@"/],
  ['a b.c/d', /invalid registry host/],
  [`quay.io/${'a'.repeat(256)}`, /invalid repository/],
  ['a'.repeat(2000), /longer than 1024/],
] as const)
  test(`refuses ${text.slice(0, 40)}`, () =>
    assert.throws(
      () => parseReference(text),
      (error) => error instanceof OciError && reason.test(error.message),
    ));
