/** OpenAPI v3 documents, one per group and version, which clients use to validate objects before they send them. */
import { isRecord, objectSchemaOf, openApiOf, rootPathOf, type Kind } from '@tinkerbell/resources';
import { operatorVerbs, type OperatorVerb } from '@tinkerbell/workflow';
import { operationSchemas } from '../operation-schemas.ts';
import { OBJECT_META, objectMetaSchemas } from './object-meta.ts';

const REFERENCE = '#/components/schemas/';

const ROOT = '/openapi/v3';

/** Returns true if there is a document at the path. */
export function isOpenApiV3(path: string, kinds: readonly Kind[]): boolean {
  return path === ROOT || kinds.some((kind) => path === ROOT + rootPathOf(kind));
}

/** Returns the document at such a path. Yields after each kind. */
export function* openApiDocument(path: string, kinds: readonly Kind[]): Generator<undefined, object> {
  if (path === ROOT) return index(kinds);
  return yield* documentOf(kinds.filter((kind) => path === ROOT + rootPathOf(kind)));
}

function index(kinds: readonly Kind[]): object {
  const places = [...new Set(kinds.map(rootPathOf))];
  return {
    paths: Object.fromEntries(
      places.map((place) => [place.slice(1), { serverRelativeURL: `/openapi/v3${place}` }]),
    ),
  };
}

function* documentOf(inGroup: readonly Kind[]): Generator<undefined, object> {
  const schemas: Record<string, object> = {};
  for (const kind of inGroup) {
    schemas[schemaNameOf(kind)] = kindSchema(kind, REFERENCE);
    yield undefined;
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Tinkerbell', version: inGroup[0]?.version ?? '' },
    paths: Object.fromEntries(inGroup.flatMap(pathsOf)),
    components: {
      schemas: {
        ...schemas,
        ...objectMetaSchemas(REFERENCE),
      },
    },
  };
}

function pathsOf(kind: Kind): [path: string, item: object][] {
  const path = objectPathOf(kind);
  const verbs = kind.kind === 'Workflow' ? operatorVerbs : [];
  return [
    [path, pathItemOf(kind)],
    ...verbs.map((verb): [string, object] => [`${path}/${verb}`, operationItemOf(kind, verb)]),
  ];
}

function operationItemOf(kind: Kind, verb: OperatorVerb): object {
  const schema = operationSchemas[verb];
  return {
    post: {
      description: schema.description,
      'x-kubernetes-action': 'connect',
      'x-kubernetes-group-version-kind': gvkOf(kind),
      parameters: [{ name: 'dryRun', in: 'query', schema: { type: 'string' } }],
      requestBody: { content: { 'application/json': { schema } } },
      responses: { ...responsesOf(kind), 409: { description: 'Conflict' } },
    },
  };
}

function responsesOf(kind: Kind): object {
  return {
    200: {
      description: 'OK',
      content: { 'application/json': { schema: { $ref: `${REFERENCE}${schemaNameOf(kind)}` } } },
    },
  };
}

/** `/apis/<group>/<version>/namespaces/{namespace}/<plural>/{name}` */
export function objectPathOf(kind: Kind): string {
  const namespace = kind.scope === 'Cluster' ? '' : '/namespaces/{namespace}';
  return `${rootPathOf(kind)}${namespace}/${kind.plural}/{name}`;
}

/** `fieldValidation` indicates that the server supports strict field validation. */
function pathItemOf(kind: Kind): object {
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string' },
  }));
  const responses = responsesOf(kind);
  const operation = (action: string) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(kind),
    parameters,
    responses,
  });
  return {
    get: operation('get'),
    put: operation('put'),
    patch: operation('patch'),
    delete: operation('delete'),
  };
}

/** `org.tinkerbell.v1alpha1.Hardware` */
export function schemaNameOf(kind: Kind): string {
  return [...(kind.group || 'core').split('.').reverse(), kind.version, kind.kind].join('.');
}

/** Returns the schema of a kind's objects, which references that of ObjectMeta. */
export function kindSchema(kind: Kind, reference: string): Record<string, unknown> {
  const { required: _required, ...rest } = openApiOf(objectSchemaOf(kind));
  const { properties } = rest;
  return {
    ...rest,
    description: kind.description,
    type: 'object',
    properties: {
      ...(isRecord(properties) ? properties : {}),
      apiVersion: { type: 'string', description: 'Group and version of the schema.' },
      kind: { type: 'string', description: 'Name of the schema.' },
      metadata: { $ref: `${reference}${OBJECT_META}` },
    },
    'x-kubernetes-group-version-kind': [gvkOf(kind)],
  };
}

export function gvkOf({ group, version, kind }: Kind): object {
  return { group, version, kind };
}
