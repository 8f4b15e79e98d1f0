/** OpenAPI documents, as far as clients need them to check objects before they send them. */
import { apiVersionOf, kinds, openApiOf, type Kind } from '@tinkerbell/resources';
import { operatorVerbs, type OperatorVerb } from '@tinkerbell/workflow';
import { operationSchemas } from './operation-schemas.ts';

/** The document at an `/openapi` path, or undefined. */
export function openApiDocument(path: string): object | undefined {
  if (path === '/openapi/v3') return index();
  const group = /^\/openapi\/v3\/apis\/([^/]+\/[^/]+)$/.exec(path)?.[1];
  const inGroup = kinds.filter((kind) => apiVersionOf(kind) === group);
  return inGroup.length === 0 ? undefined : documentOf(inGroup);
}

function index(): object {
  const versions = [...new Set(kinds.map(apiVersionOf))];
  return {
    paths: Object.fromEntries(
      versions.map((version) => [`apis/${version}`, { serverRelativeURL: `/openapi/v3/apis/${version}` }]),
    ),
  };
}

function documentOf(inGroup: readonly Kind[]): object {
  return {
    openapi: '3.0.0',
    info: { title: 'Tinkerbell', version: inGroup[0]?.version ?? '' },
    paths: Object.fromEntries(inGroup.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(inGroup.map((kind) => [schemaNameOf(kind), schemaOf(kind)])) },
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
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaNameOf(kind)}` } } },
    },
  };
}

function objectPathOf(kind: Kind): string {
  return `/apis/${apiVersionOf(kind)}/namespaces/{namespace}/${kind.plural}/{name}`;
}

/** `fieldValidation` tells clients that the server itself refuses unknown fields when asked to. */
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

function schemaNameOf(kind: Kind): string {
  return `${kind.group.split('.').reverse().join('.')}.${kind.version}.${kind.kind}`;
}

function schemaOf(kind: Kind): object {
  return {
    description: kind.description,
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: openApiOf(kind.spec),
      status: openApiOf(kind.status),
    },
    'x-kubernetes-group-version-kind': [gvkOf(kind)],
  };
}

function gvkOf({ group, version, kind }: Kind): object {
  return { group, version, kind };
}
