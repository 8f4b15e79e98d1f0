/** Sends patches that are short and produce much, or take long to produce little. */
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';
import { answered, REFUSED, sent } from './hostile-answer.ts';

const lab = '/apis/tinkerbell.org/v1alpha1/namespaces/lab';
const object = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'growing', labels: { a: 'b' } },
  spec: { userData: 'x'.repeat(1000), interfaces: [{ dhcp: { name_servers: ['10.0.0.1', '10.0.0.2'] } }] },
};

interface Patch {
  readonly type: string;
  readonly body: string;
}

const jsonPatch = (operations: readonly object[]): Patch => ({
  type: 'application/json-patch+json',
  body: JSON.stringify(operations),
});
const times = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const pointers = [
  '',
  '/',
  'spec',
  '/spec',
  '/spec/userData',
  '/spec/interfaces',
  '/spec/interfaces/-',
  '/spec/interfaces/0',
];
const oddPointers = [
  'a',
  'spec/x',
  '/a~',
  '/a~3',
  '/__proto__/x',
  '/constructor',
  '/spec/interfaces/-1',
  '/spec/interfaces/1e3',
  '/\u0000',
];

const patches: readonly ((size: number, choice: SeededChoice) => Patch)[] = [
  (size) => jsonPatch(times(Math.min(size, 60), () => ({ op: 'copy', from: '', path: '/spec/a' }))),
  (size) => jsonPatch(times(Math.min(size, 60), () => ({ op: 'copy', from: '/spec', path: '/spec/a' }))),
  (size) =>
    jsonPatch(times(size, () => ({ op: 'copy', from: '/spec/interfaces/0', path: '/spec/interfaces/-' }))),
  (size) => jsonPatch(times(size, (at) => ({ op: 'copy', from: '/spec/userData', path: `/spec/c${at}` }))),
  (size) =>
    jsonPatch(times(size, () => ({ op: 'move', from: '/spec/interfaces', path: '/spec/interfaces/0' }))),
  (size) =>
    jsonPatch(
      times(size, () => ({
        op: 'replace',
        path: '/metadata/labels',
        value: Object.fromEntries(times(200, (at) => [`k${at}`, 'v'])),
      })),
    ),
  (size) => jsonPatch(times(size, () => ({ op: 'test', path: '', value: object }))),
  (size) => jsonPatch([{ op: 'add', path: `/spec${'/a'.repeat(size)}`, value: 1 }]),
  (_size, choice) =>
    jsonPatch(
      times(1 + choice.below(20), () => ({
        op: choice.of(['add', 'remove', 'replace', 'move', 'copy', 'test', 'merge', '__proto__']),
        path: choice.of([...pointers, ...oddPointers]),
        from: choice.of([...pointers, ...oddPointers]),
        value: choice.of<unknown>([null, 1, {}, [[]], object, { '': {} }]),
      })),
    ),
  (size) => ({ type: 'application/merge-patch+json', body: deep(size) }),
  (size) => ({ type: 'application/merge-patch+json', body: `{"spec":{"references":${deep(size)}}}` }),
  (size) => ({
    type: 'application/merge-patch+json',
    body: JSON.stringify({ spec: Object.fromEntries(times(size, (at) => [`k${at}`, null])) }),
  }),
  (size) => ({
    type: 'application/merge-patch+json',
    body: JSON.stringify({
      metadata: { annotations: Object.fromEntries(times(size, (at) => [`k${at}`, 'v'])) },
    }),
  }),
  (size) => ({ type: 'application/strategic-merge-patch+json', body: deep(size) }),
  (size) => ({
    type: 'application/apply-patch+yaml',
    body: JSON.stringify({
      ...object,
      spec: {
        interfaces: times(size, () => ({ dhcp: { mac: 'x' } })),
        references: Object.fromEntries(times(size, (at) => [`k${at}`, {}])),
      },
    }),
  }),
  (size) => ({
    type: 'application/apply-patch+yaml',
    body: JSON.stringify({
      ...object,
      metadata: { name: 'growing', finalizers: times(size, (at) => `f${at}.org/x`) },
    }),
  }),
  (size) => ({ type: 'application/apply-patch+yaml', body: deep(size) }),
  () => ({ type: 'application/merge-patch+json', body: '[]' }),
  () => ({ type: 'application/json-patch+json', body: '{"op":"add"}' }),
  () => ({ type: 'text/plain', body: '{}' }),
];

export const growingPatches: Attack = {
  name: 'growing-patches',
  sends: 'body',
  async once(target, choice: SeededChoice) {
    if (choice.once(10)) {
      const made = await target.send('editor', `${lab}/hardware`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(object),
      });
      await answered('the Hardware to patch', made, [201, 409]);
    }
    const { type, body } = choice.of(patches)(2 ** (1 + choice.below(13)), choice);
    const path = `${lab}/hardware/growing?fieldManager=m${choice.below(3)}&dryRun=All${choice.once(2) ? '&force=true' : ''}`;
    const headers = { 'content-type': type };
    const response = await sent(target.send('editor', path, { method: 'PATCH', headers, body }), body);
    if (response === undefined) return;
    await answered(`${type} ${body.slice(0, 150)}`, response, [...REFUSED, 200, 201, 404, 409]);
  },
};
