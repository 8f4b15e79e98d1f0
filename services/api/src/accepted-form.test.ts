import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedForm, formOfErrors } from './accepted-form.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const rows: readonly (readonly [accept: string | null, builtIn: string, custom: string])[] = [
  [null, 'json', 'json'],
  ['', 'json', 'json'],
  ['*/*', 'json', 'json'],
  ['application/*;q=0.1', 'json', 'json'],
  ['application/json', 'json', 'json'],
  ['Application/JSON; charset=utf-8', 'json', 'json'],
  [protobuf, 'protobuf', '406'],
  [`${protobuf},application/json`, 'protobuf', 'json'],
  [`application/json,${protobuf}`, 'json', 'json'],
  [`application/json;q=0.5, ${protobuf};q=0.9`, 'protobuf', 'json'],
  [`*/*, ${protobuf}`, 'protobuf', 'json'],
  [`${protobuf};q=0, */*`, 'json', 'json'],
  [`${protobuf};stream=watch`, 'protobuf', '406'],
  [`${protobuf};as=Table;v=v1;g=meta.k8s.io,${table}`, 'table', 'table'],
  [`${table},application/json`, 'table', 'table'],
  ['text/html,*/*;q=0.8', 'json', 'json'],
  ['text/html', '406', '406'],
  ['application/json;q=0', '406', '406'],
  ['application/cbor', '406', '406'],
];

function chosen(accept: string | null, hasProtobuf: boolean): string {
  try {
    const { form, isTable } = acceptedForm(accept, { hasProtobuf });
    return isTable ? 'table' : form;
  } catch (thrown) {
    return String((thrown as { code: number }).code);
  }
}

for (const [accept, builtIn, custom] of rows) {
  test(`Accept: ${accept} is ${builtIn} for a built-in kind and ${custom} for a custom one`, () => {
    assert.deepEqual([chosen(accept, true), chosen(accept, false)], [builtIn, custom]);
  });
}

test('an error is sent as JSON to a client that accepts no served form', () => {
  assert.equal(formOfErrors('text/html', { hasProtobuf: true }).form, 'json');
  assert.equal(formOfErrors(protobuf, { hasProtobuf: true }).form, 'protobuf');
});

test('knows the forms that the client accepts beside protobuf', () => {
  const has = { hasProtobuf: true };
  assert.equal(acceptedForm(`${protobuf},application/json`, has).takesJson, true);
  assert.equal(acceptedForm(protobuf, has).takesJson, false);
});
