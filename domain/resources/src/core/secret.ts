/** Secret and ConfigMap (Kubernetes core/v1): data under keys, optionally immutable. */
import { isRecord } from '@tinkerbell/yaml/json';
import { isDeepEqual } from '../deep-equal.ts';
import type { Kind } from '../kind.ts';
import type { Problem } from '../problem.ts';
import type { Resource } from '../resource.ts';
import { Type } from '../schema.ts';
import { document, mapOf } from '../schema-builders.ts';

export interface Secret extends Resource {
  readonly type?: string;
  /** Values by key, in base64. */
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

/** The limit of all values together (core/v1 MaxSecretSize). */
const DATA_MAX = 1024 * 1024;
const KEY_MAX = 253;

type Json = Readonly<Record<string, unknown>>;

export const secretKind: Kind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  shortNames: [],
  categories: [],
  description: 'Confidential data as key-value pairs, with values in base64.',
  printerColumns: [
    { name: 'Type', jsonPath: '.type', type: 'string' },
    { name: 'Data', jsonPath: '.data', type: 'integer', format: 'count' },
  ],
  fields: {
    type: Type.String({ default: 'Opaque', description: 'Type of the data.' }),
    data: mapOf(document({ description: 'Values in base64.' })),
    stringData: mapOf(document({ description: 'Text that the server writes into data. It is write-only.' })),
    immutable: Type.Boolean({ description: 'Whether the data can no longer be changed.' }),
  },
  prepare: withStringData,
  rules: (object, before) => [
    ...keyProblems(object, ['data']),
    ...base64Problems(object, 'data'),
    ...immutableProblems(object, before, ['data', 'type']),
    ...typeProblems(object, before),
  ],
};

export const configMapKind: Kind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  categories: [],
  description: 'Settings as key-value pairs.',
  printerColumns: [{ name: 'Data', jsonPath: '.data', type: 'integer', format: 'count' }],
  fields: {
    data: mapOf(document()),
    binaryData: mapOf(document({ description: 'Values in base64.' })),
    immutable: Type.Boolean({ description: 'Whether the data can no longer be changed.' }),
  },
  rules: (object, before) => [
    ...keyProblems(object, ['data', 'binaryData']),
    ...base64Problems(object, 'binaryData'),
    ...immutableProblems(object, before, ['data', 'binaryData']),
  ],
};

/** `stringData` overrides `data`, as in Kubernetes. */
function withStringData(submitted: Json): Json {
  const { stringData, ...rest } = submitted;
  if (!isRecord(stringData) || Object.values(stringData).some((one) => typeof one !== 'string'))
    return stringData === null ? rest : submitted;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, base64Of(String(text))] as const);
  const data = isRecord(rest['data']) ? rest['data'] : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns the base64 of the text in UTF-8. Pure code has neither Buffer nor btoa. */
function base64Of(text: string): string {
  const bytes = utf8Of(text);
  let encoded = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = bytes.slice(at, at + 3);
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    encoded += `${alphabet[bits >> 18]}${alphabet[(bits >> 12) & 63]}`;
    encoded += b === undefined ? '=' : alphabet[(bits >> 6) & 63];
    encoded += c === undefined ? '=' : alphabet[bits & 63];
  }
  return encoded;
}

function utf8Of(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text.toWellFormed()) {
    const code = character.codePointAt(0) ?? 0;
    const tail = (shift: number): number => 0x80 | ((code >> shift) & 0x3f);
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(0));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(6), tail(0));
    else bytes.push(0xf0 | (code >> 18), tail(12), tail(6), tail(0));
  }
  return bytes;
}

function entriesOf(object: Json, field: string): [string, unknown][] {
  const value = object[field];
  return isRecord(value) ? Object.entries(value) : [];
}

function keyProblems(object: Json, fields: readonly string[]): Problem[] {
  const problems: Problem[] = [];
  let size = 0;
  for (const field of fields) {
    for (const [key, value] of entriesOf(object, field)) {
      size += String(value).length;
      if (key.length <= KEY_MAX && /^[-._a-zA-Z0-9]+$/.test(key) && !/^\.\.?$/.test(key)) continue;
      const message = 'a key must be letters, digits, "-", "_" and ".", at most 253 of them';
      problems.push({ reason: 'invalid', path: [field, key], message });
    }
  }
  if (size > DATA_MAX * (4 / 3)) {
    const message = `must be at most ${DATA_MAX} bytes together`;
    problems.push({ reason: 'invalid', path: [fields[0] ?? ''], message });
  }
  return problems;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The value itself is not reported, because it may be a password that was not encoded. */
function base64Problems(object: Json, field: string): Problem[] {
  return entriesOf(object, field)
    .filter(([, value]) => typeof value === 'string' && !base64.test(value.replaceAll(/[\r\n]/g, '')))
    .map(([key]): Problem => {
      const message = 'must be base64; write plain text under stringData instead';
      return { reason: 'invalid', path: [field, key], message };
    });
}

function immutableProblems(object: Json, before: Json | undefined, fields: readonly string[]): Problem[] {
  if (before?.['immutable'] !== true) return [];
  const changed = fields.filter((field) => !isDeepEqual(object[field] ?? {}, before[field] ?? {}));
  const message = 'must not change while immutable is set; delete the object and create it again';
  const problems = changed.map((field): Problem => ({ reason: 'invalid', path: [field], message }));
  if (object['immutable'] === true) return problems;
  return [...problems, { reason: 'invalid', path: ['immutable'], message }];
}

function typeProblems(object: Json, before: Json | undefined): Problem[] {
  if (before === undefined || object['type'] === before['type']) return [];
  return [{ reason: 'invalid', path: ['type'], value: object['type'], message: 'field is immutable' }];
}
