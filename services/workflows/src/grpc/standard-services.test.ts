/** What gRPC tools expect of every server: health, reflection and compression. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import {
  compressionAlgorithms,
  status,
  type ClientDuplexStream,
  type ClientReadableStream,
} from '@grpc/grpc-js';
import { WorkflowService, type ActionResponse } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { Health, type HealthCheckResponse } from '@tinkerbell/api/health';
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@tinkerbell/api/reflection';
import { answerOf, hasCode, runningServer, type RunningServer } from '../testing/running-server.ts';
import { pendingWorkflow } from '../testing/workflows.ts';

test('reports the health of the server and of each service', async () => {
  await using server = await runningServer();
  const client = server.client(serviceDefinition(Health));
  for (const service of ['', 'grpc.health.v1.Health', 'proto.WorkflowService'])
    assert.equal((await answerOf<HealthCheckResponse>(client, 'check', { service })).status, 1, service);
  await assert.rejects(
    answerOf(client, 'check', { service: 'nobody.Service' }),
    hasCode(status.NOT_FOUND, /unknown service nobody.Service/),
  );
});

test('watches the health of known and unknown services until it stops', async () => {
  const server = await runningServer();
  const client = server.client(serviceDefinition(Health));
  const method = client['watch'] as unknown as (request: object) => ClientReadableStream<HealthCheckResponse>;
  const watch = (service: string) => {
    const call = method.call(client, { service });
    const ended = new Promise<{ code: number }>((resolve) => call.once('error', resolve as never));
    return { ended, first: new Promise<HealthCheckResponse>((resolve) => call.once('data', resolve)) };
  };
  const [all, none] = [watch(''), watch('nobody.Service')];
  assert.equal((await all.first).status, 1);
  assert.equal((await none.first).status, 3);
  const disposed = server[Symbol.asyncDispose]();
  assert.notEqual((await all.ended).code, status.OK);
  await disposed;
});

function reflect(
  server: RunningServer,
  typeName: string,
  questions: readonly ServerReflectionRequest['messageRequest'][],
): Promise<readonly ServerReflectionResponse['messageResponse'][]> {
  const client = server.client(serviceDefinition(ServerReflection, typeName));
  const method = client['serverReflectionInfo'] as unknown as () => ClientDuplexStream<
    object,
    ServerReflectionResponse
  >;
  const call = method.call(client);
  for (const messageRequest of questions) call.write({ messageRequest });
  call.end();
  return new Promise((resolve, reject) => {
    const answers: ServerReflectionResponse['messageResponse'][] = [];
    call.on('data', ({ messageResponse }: ServerReflectionResponse) => answers.push(messageResponse));
    call.on('error', reject);
    call.on('end', () => resolve(answers));
  });
}

for (const version of ['grpc.reflection.v1', 'grpc.reflection.v1alpha'])
  test(`${version} returns files from which a client can build every service`, async () => {
    await using server = await runningServer();
    const name = `${version}.ServerReflection`;
    const [listed] = await reflect(server, name, [{ case: 'listServices', value: '' }]);
    assert.equal(listed?.case, 'listServicesResponse');
    const services = (listed.value as { service: { name: string }[] }).service.map((one) => one.name);
    assert.ok(services.includes('proto.WorkflowService') && services.includes(name), services.join());
    for (const service of services) {
      const [found] = await reflect(server, name, [{ case: 'fileContainingSymbol', value: service }]);
      assert.equal(found?.case, 'fileDescriptorResponse', service);
      const { fileDescriptorProto } = found.value as { fileDescriptorProto: Uint8Array[] };
      const file = fileDescriptorProto
        .map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
        .toReversed();
      const registry = createFileRegistry({ $typeName: FileDescriptorSetSchema.typeName, file } as never);
      assert.ok((registry.getService(service)?.methods.length ?? 0) > 0, service);
    }
  });

test('reflection finds methods, nested types and file names, and reports what it does not know', async () => {
  await using server = await runningServer();
  const answers = await reflect(server, 'grpc.reflection.v1.ServerReflection', [
    { case: 'fileContainingSymbol', value: 'proto.WorkflowService.GetAction' },
    { case: 'fileContainingSymbol', value: 'grpc.health.v1.HealthCheckResponse.ServingStatus' },
    { case: 'fileByFilename', value: 'google/protobuf/timestamp.proto' },
    { case: 'fileByFilename', value: 'none.proto' },
    { case: 'fileContainingSymbol', value: 'proto.None' },
    { case: 'allExtensionNumbersOfType', value: 'proto.ActionRequest' },
    { case: 'allExtensionNumbersOfType', value: 'proto.None' },
    { case: undefined },
  ]);
  assert.deepEqual(
    answers.map((one) => (one.case === 'errorResponse' ? one.value.errorCode : one.case)),
    [
      'fileDescriptorResponse',
      'fileDescriptorResponse',
      'fileDescriptorResponse',
      status.NOT_FOUND,
      status.NOT_FOUND,
      'allExtensionNumbersResponse',
      status.NOT_FOUND,
      status.INVALID_ARGUMENT,
    ],
  );
});

test('accepts gzip requests', async () => {
  await using server = await runningServer();
  await server.putWorkflow(pendingWorkflow([{ worker: 'agent', actions: ['one'] }]));
  const client = server.client(serviceDefinition(WorkflowService), {
    'grpc.default_compression_algorithm': compressionAlgorithms.gzip,
  });
  const agentAttributes = { pci: Array.from({ length: 100 }, () => ({ vendor: 'the same vendor' })) };
  const action = await answerOf<ActionResponse>(client, 'getAction', { agentId: 'agent', agentAttributes });
  assert.equal(action.name, 'one');
});
