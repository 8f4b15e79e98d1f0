/** Sends YAML that is short and expands to much, or is long in a way that readers take long over. */
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';
import { answered, REFUSED, sent } from './hostile-answer.ts';

const repeat = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join('');

/** Each has about the requested number of bytes. */
const bombs: readonly ((size: number) => string)[] = [
  (size) => `a: &a x\nb: [${repeat(size / 3, () => '*a,')}]\n`,
  (size) =>
    `a0: &a0 [${'x,'.repeat(20)}]\n${repeat(size / 70, (at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]\n`)}`,
  (size) => `a: &a ${'x'.repeat(size / 2)}\nb: [${repeat(size / 6, () => '*a,')}]\n`,
  (size) =>
    `a: &a {${repeat(size / 20, (at) => `k${at}: v,`)}}\nb:\n${repeat(size / 20, () => '  - <<: *a\n')}`,
  (size) => `a: &a [*a, {b: *a}]\n${repeat(size / 8, () => '- *a\n')}`,
  (size) => repeat(size / 10, (at) => `key${at}: v\n`),
  (size) => `{${repeat(size / 10, (at) => `key${at}: v,`)}}`,
  (size) => '['.repeat(size),
  (size) => '- '.repeat(size / 2),
  (size) => '? '.repeat(size / 2),
  (size) => repeat(Math.sqrt(size), (at) => `${' '.repeat(at)}a:\n`),
  (size) => repeat(size / 8, (at) => `&a${at} k${at}: !!str\n`),
  (size) => repeat(size / 4, () => '---\n'),
  (size) => `a: "${'\\x41'.repeat(size / 4)}`,
  (size) => `a: >\n${'  x\n\n'.repeat(size / 5)}`,
  (size) => `- ${' '.repeat(size)}x: &y\n`,
  (size) => '!'.repeat(size),
  (size) => `a: |\n${repeat(size / 4, () => '  x\n')}\n\tb: 1\n`,
  (size) => repeat(size / 9, () => `${'#'.repeat(8)}\n`),
];

interface Target {
  readonly role: 'nobody' | 'agent' | 'viewer' | 'editor';
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly allowed: readonly number[];
}

const lab = '/apis/tinkerbell.org/v1alpha1/namespaces/lab';
const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const targets: readonly Target[] = [
  // A client without a role, or a review that is not YAML, is refused before a byte is read.
  { role: 'viewer', method: 'POST', path: reviews, type: 'application/yaml', allowed: [415] },
  { role: 'agent', method: 'POST', path: reviews, type: 'application/yaml', allowed: [401, 403, 415] },
  { role: 'nobody', method: 'POST', path: reviews, type: 'application/yaml', allowed: [401, 403, 415] },
  { role: 'viewer', method: 'POST', path: `${lab}/hardware`, type: 'application/yaml', allowed: [403] },
  { role: 'editor', method: 'POST', path: `${lab}/hardware`, type: 'application/yaml', allowed: REFUSED },
  {
    role: 'editor',
    method: 'PATCH',
    path: `${lab}/hardware/bomb?fieldManager=a`,
    type: 'application/apply-patch+yaml',
    allowed: REFUSED,
  },
  {
    role: 'editor',
    method: 'PUT',
    path: `${lab}/templates/bomb`,
    type: 'text/yaml',
    allowed: [...REFUSED, 404],
  },
];

export const yamlBombs: Attack = {
  name: 'yaml-bombs',
  sends: 'body',
  async once(target, choice: SeededChoice) {
    const { role, method, path, type, allowed } = choice.of(targets);
    const size = 2 ** (8 + choice.below(12));
    const body = choice
      .of(bombs)(size)
      .slice(0, 2 * size);
    const sending = target.send(role, path, { method, headers: { 'content-type': type }, body });
    const response = await sent(sending, body);
    if (response === undefined) return;
    await answered(`${role} ${method} ${path} ${body.slice(0, 40)}`, response, allowed);
  },
};
