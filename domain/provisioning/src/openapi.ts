/** The OpenAPI 3.1 document, made from the operations and the schemas that requests are checked with. */
import * as schemas from './message-schemas.ts';
import { operations, type Operation } from './operations.ts';
import { requestSchemas, type ObjectSchema } from './parse-request.ts';

/** Fields of a request that are in the path. */
const pathFields: Readonly<Record<string, string>> = { device: 'device_id', id: 'job_id' };

export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    item[operation.verb] = operationOf(operation);
  }
  paths['/v1/openapi.json'] = { get: ownOperation };
  const { Job, ProvisionDeviceResponse, ListJobsResponse, ApplyConfigurationResponse, Problem } = schemas;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tinkerbell Provisioning API',
      version: 'v1',
      description: 'The same calls as tinkerbell.hardware.v1.API over gRPC.',
    },
    paths,
    components: {
      schemas: { Job, ProvisionDeviceResponse, ListJobsResponse, ApplyConfigurationResponse, Problem },
    },
  };
}

const ownOperation = {
  operationId: 'GetOpenApi',
  summary: 'This document.',
  responses: { 200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: {} } } } },
};

function operationOf(operation: Operation): object {
  const { method, verb, success, summary } = operation;
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const schema = requestSchemas[method];
  return {
    operationId: method,
    summary,
    parameters: [
      ...inPath.map((name) => parameter(name, 'path', schema.properties[pathFields[name] ?? name] ?? {})),
      ...(verb === 'get' ? queryOf(schema, inPath) : []),
      ...('idempotency_key' in schema.properties
        ? [parameter('Idempotency-Key', 'header', schema.properties['idempotency_key'] ?? {})]
        : []),
    ],
    ...(verb === 'get' ? {} : { requestBody: bodyOf(operation, schema, inPath) }),
    responses: {
      [success.code]: { description: success.description, content: contentOf(operation) },
      default: {
        description: 'What is wrong, and with which field.',
        content: { 'application/problem+json': { schema: reference('Problem') } },
      },
    },
  };
}

function parameter(
  name: string,
  place: string,
  { description, ...schema }: ObjectSchema['properties'][string],
) {
  return {
    name,
    in: place,
    ...(place === 'path' ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema,
  };
}

function queryOf(schema: ObjectSchema, inPath: readonly string[]) {
  return Object.entries(bodySchemaOf(schema, inPath).properties).map(([name, field]) =>
    parameter(name, 'query', field),
  );
}

/** The configuration is the body itself. */
function bodyOf({ method }: Operation, schema: ObjectSchema, inPath: readonly string[]) {
  const body = method === 'ApplyConfiguration' ? schemas.Configuration : bodySchemaOf(schema, inPath);
  const isNeeded = 'minProperties' in body || (body.required ?? []).length > 0;
  return { required: isNeeded, content: { 'application/json': { schema: body } } };
}

/** Returns the schema without the fields that are in the path. */
function bodySchemaOf(schema: ObjectSchema, inPath: readonly string[]): ObjectSchema {
  const said = inPath.map((name) => pathFields[name] ?? name);
  const required = (schema.required ?? []).filter((name) => !said.includes(name));
  const { required: _, ...rest } = schema;
  return {
    ...rest,
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(
      Object.entries(schema.properties).filter(([name]) => !said.includes(name)),
    ),
  };
}

function contentOf({ method, success }: Operation): object {
  const schema = reference(success.schema);
  if (method !== 'WatchJob') return { 'application/json': { schema } };
  return { 'application/x-ndjson': { schema }, 'text/event-stream': { schema: { type: 'string' } } };
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
