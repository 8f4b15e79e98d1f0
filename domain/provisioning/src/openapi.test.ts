import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument, operations } from './index.ts';

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: object };
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: object }>>;
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

const all = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
);

test('is OpenAPI 3.1 of every operation, each with a unique name and its responses', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.ok(document.info.title !== '' && document.info.version !== '');
  const names = all.map(({ operation }) => operation.operationId);
  assert.deepEqual(names.toSorted(), [...operations.map(({ method }) => method), 'GetOpenApi'].toSorted());
  for (const { path, verb, operation } of all) {
    const where = `${verb} ${path}`;
    assert.ok(['get', 'post', 'put'].includes(verb), where);
    assert.ok(operation.summary, where);
    const responses = Object.entries(operation.responses ?? {});
    assert.ok(
      responses.some(([code]) => /^2\d\d$/.test(code)),
      where,
    );
    for (const [code, response] of responses)
      assert.ok(response.description && response.content, `${where} ${code}`);
  }
});

test('every parameter of a path is declared and required, and no body repeats it', () => {
  for (const { path, verb, operation } of all) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (operation.parameters ?? []).filter((one) => one.in === 'path');
    assert.deepEqual(
      declared.map(({ name }) => name),
      inPath,
      path,
    );
    assert.ok(
      declared.every(({ required }) => required === true),
      path,
    );
    assert.equal(operation.requestBody === undefined, verb === 'get', path);
    if (inPath.length > 0)
      assert.doesNotMatch(JSON.stringify(operation.requestBody ?? {}), /"(device_id|job_id)"/, path);
  }
});

test('every reference leads somewhere', () => {
  for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g))
    assert.ok(Object.hasOwn(document.components.schemas, name ?? ''), name ?? '');
});
