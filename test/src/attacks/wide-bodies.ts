/** Sends JSON that is wide, deep or wrong in very many places, to every place that reads a body. */
import assert from 'node:assert/strict';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { answered, REFUSED, sent } from './hostile-answer.ts';

const MIB = 1024 * 1024;
const list = (count: number, item: string): string =>
  `[${Array.from({ length: count }, () => item).join(',')}]`;
const fields = (count: number, value: string, prefix = 'k'): string =>
  `{${Array.from({ length: count }, (_, at) => `"${prefix}${at}":${value}`).join(',')}}`;
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

/** Values as JSON, of about that many bytes. */
const values: readonly ((size: number) => string)[] = [
  (size) => list(size / 2, '1'),
  (size) => list(size / 3, '{}'),
  (size) => list(size / 20, '{"dhcp":{"mac":1}}'),
  (size) => list(size / 30, '{"dhcp":{"mac":"AA","x":[]}}'),
  (size) => fields(size / 10, '1'),
  (size) => fields(size / 10, '{}', '__proto__'),
  (size) => fields(Math.sqrt(size), fields(Math.sqrt(size) / 12, '1')),
  (size) => nested(size / 2, '[', ']'),
  (size) => nested(size / 6, '{"a":', '}').replace('}', '1}'),
  (size) => `"${'\\n'.repeat(size / 2)}"`,
  (size) => `"${'\\"'.repeat(size / 2)}"`,
  (size) => `"${'x'.repeat(size)}"`,
  (size) => `1${'0'.repeat(size)}`,
  (size) => `{"${'k'.repeat(size)}":1}`,
  (size) => `[${' '.repeat(size)}]`,
  (size) => `{"a":1${',"a":1'.repeat(size / 6)}}`,
  () => '\u0000',
  (size) => list(size / 5, 'null'),
];

/** Objects with the value at a place. */
const objects: readonly ((value: string) => string)[] = [
  (value) =>
    `{"apiVersion":"tinkerbell.org/v1alpha1","kind":"Hardware","metadata":{"name":"wide"},"spec":{"interfaces":${value}}}`,
  (value) =>
    `{"apiVersion":"tinkerbell.org/v1alpha1","kind":"Hardware","metadata":{"name":"wide"},"spec":{"references":${value}}}`,
  (value) =>
    `{"apiVersion":"tinkerbell.org/v1alpha1","kind":"Hardware","metadata":{"name":"wide"},"spec":${value}}`,
  (value) => `{"apiVersion":"tinkerbell.org/v1alpha1","kind":"Hardware","metadata":${value}}`,
  (value) =>
    `{"apiVersion":"tinkerbell.org/v1alpha1","kind":"Hardware","metadata":{"name":"wide","labels":${value},"finalizers":${value}}}`,
  (value) =>
    `{"apiVersion":"tinkerbell.org/v1alpha1","kind":"Hardware","metadata":{"name":"wide","ownerReferences":${value}},"unknown":${value}}`,
  (value) => `{"apiVersion":${value},"kind":"Hardware","metadata":{"name":"wide"}}`,
  (value) => value,
];

const lab = '/apis/tinkerbell.org/v1alpha1/namespaces/lab';

/**
 * A place that reads bodies of the editor, with the statuses that a hostile one may get. 200 and 201 are for
 * bodies that happen to be allowed.
 */
const places: readonly {
  readonly method: string;
  readonly path: string;
  readonly allowed: readonly number[];
}[] = [
  { method: 'POST', path: `${lab}/hardware?dryRun=All`, allowed: [...REFUSED, 201, 409] },
  {
    method: 'POST',
    path: `${lab}/hardware?dryRun=All&fieldValidation=Strict`,
    allowed: [...REFUSED, 201, 409],
  },
  { method: 'PUT', path: `${lab}/hardware/wide-target?dryRun=All`, allowed: [...REFUSED, 200, 409] },
  { method: 'POST', path: `${lab}/templates`, allowed: REFUSED },
  { method: 'POST', path: `${lab}/workflows/none/edit`, allowed: [...REFUSED, 404] },
  { method: 'POST', path: `${lab}/workflows/none/retry`, allowed: [...REFUSED, 404] },
  { method: 'DELETE', path: `${lab}/hardware/none`, allowed: [...REFUSED, 404] },
  { method: 'POST', path: '/v1/devices/none/provision', allowed: [...REFUSED, 401, 403, 404] },
  { method: 'PUT', path: '/v1/devices/none/configuration', allowed: [...REFUSED, 401, 403, 404] },
];

async function hardwareToChange(target: AttackTarget): Promise<void> {
  const body = JSON.stringify({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'wide-target' },
    spec: { userData: 'before' },
  });
  const response = await target.send('editor', `${lab}/hardware`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answered('a Hardware to change', response, [201, 409]);
}

export const wideBodies: Attack = {
  name: 'wide-bodies',
  sends: 'body',
  async once(target, choice: SeededChoice) {
    if (choice.once(20)) await hardwareToChange(target);
    const { method, path, allowed } = choice.of(places);
    const body = choice
      .of(objects)(choice.of(values)(2 ** (6 + choice.below(16))))
      .slice(0, 4 * MIB);
    const headers = { 'content-type': 'application/json' };
    const response = await sent(target.send('editor', path, { method, headers, body }), body);
    if (response !== undefined)
      await answered(`${method} ${path} ${body.slice(0, 120)}`, response, [...allowed, 404]);
  },
};

const reviews = [
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
];

/** The one body that anybody with a token may send. */
export const wideReviews: Attack = {
  name: 'wide-reviews',
  sends: 'body',
  async once(target, choice: SeededChoice) {
    const value = choice.of(values)(2 ** (4 + choice.below(19)));
    const body = choice.of([
      `{"spec":${value}}`,
      `{"spec":{"resourceAttributes":${value}}}`,
      `{"spec":{"resourceAttributes":{"verb":${value},"resource":"hardware"}}}`,
      `{"spec":{"nonResourceAttributes":{"path":${value},"verb":"get"}}}`,
      `{"spec":{"token":${value},"namespace":${value}}}`,
      value,
    ]);
    const path = choice.of(reviews);
    const sending = target.send(choice.of(['agent', 'viewer'] as const), path, {
      method: choice.of(['POST', 'POST', 'POST', 'PUT', 'PATCH']),
      headers: { 'content-type': choice.of(['application/json', 'application/json', 'text/plain', '']) },
      body,
    });
    const response = await sent(sending, body);
    if (response === undefined) return;
    const status = await answered(`${path} ${body.slice(0, 80)}`, response, [...REFUSED, 201, 401, 403, 405]);
    if (body.length > 128 * 1024) assert.notEqual(status, 201, `${body.length} bytes were read`);
  },
};
