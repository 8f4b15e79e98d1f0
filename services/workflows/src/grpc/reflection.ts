/**
 * grpc.reflection.v1 and v1alpha, so that grpcurl and similar tools need no files. It returns what the generated code knows:
 * names and types, without comments.
 */
import { clone, create, toBinary, type DescFile } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  type DescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import {
  ErrorResponseSchema,
  ExtensionNumberResponseSchema,
  FileDescriptorResponseSchema,
  ListServiceResponseSchema,
  ServerReflection,
  ServerReflectionResponseSchema,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@tinkerbell/api/reflection';
import type { Calls } from './calls.ts';
import { grpcStatus } from './grpc-status.ts';
import type { RpcService } from './grpc-server.ts';

/** The service that older clients call: the same messages under another name. */
const ALPHA = 'grpc.reflection.v1alpha';
const V1 = 'grpc.reflection.v1';

/** Both versions, which list `services` and themselves. */
export function reflectionRpcs(calls: Calls, services: readonly RpcService[]): readonly RpcService[] {
  const v1 = ServerReflection.file;
  const index = new DescriptorIndex([...services.map(({ descriptor }) => descriptor.file), v1]);
  index.add(alphaOf(v1.proto));
  const names = [V1, ALPHA].map((name) => `${name}.${ServerReflection.name}`);
  const listed = [...services.map(({ descriptor }) => descriptor.typeName), ...names].toSorted();
  const handler = calls.bidiStream<ServerReflectionRequest, ServerReflectionResponse>(
    'ServerReflectionInfo',
    (each, out) =>
      each((request) =>
        out.send(
          create(ServerReflectionResponseSchema, {
            validHost: request.host,
            originalRequest: request,
            messageResponse: answer(request.messageRequest, index, listed),
          }),
        ),
      ),
  );
  return names.map((name) => ({
    descriptor: ServerReflection,
    definition: serviceDefinition(ServerReflection, name),
    handlers: { serverReflectionInfo: handler },
  }));
}

type Answer = ServerReflectionResponse['messageResponse'];

function answer(
  request: ServerReflectionRequest['messageRequest'],
  index: DescriptorIndex,
  services: readonly string[],
): Answer {
  switch (request.case) {
    case 'listServices': {
      const service = services.map((name) => ({ name }));
      return { case: 'listServicesResponse', value: create(ListServiceResponseSchema, { service }) };
    }
    case 'fileByFilename':
      return files(index.named(request.value), `file not found: ${request.value}`);
    case 'fileContainingSymbol':
      return files(index.defining(request.value), `symbol not found: ${request.value}`);
    case 'fileContainingExtension':
      return files([], `extension not found: ${request.value.containingType}`);
    case 'allExtensionNumbersOfType':
      return extensionsOf(request.value, index);
    default:
      return failure(grpcStatus.invalidArgument, 'the request asks nothing');
  }
}

function files(found: readonly FileDescriptorProto[], missing: string): Answer {
  if (found.length === 0) return failure(grpcStatus.notFound, missing);
  const fileDescriptorProto = found.map((file) => toBinary(FileDescriptorProtoSchema, file));
  return {
    case: 'fileDescriptorResponse',
    value: create(FileDescriptorResponseSchema, { fileDescriptorProto }),
  };
}

/** The server's messages have no extensions. */
function extensionsOf(baseTypeName: string, index: DescriptorIndex): Answer {
  if (index.defining(baseTypeName).length === 0)
    return failure(grpcStatus.notFound, `symbol not found: ${baseTypeName}`);
  return {
    case: 'allExtensionNumbersResponse',
    value: create(ExtensionNumberResponseSchema, { baseTypeName }),
  };
}

function failure(errorCode: number, errorMessage: string): Answer {
  return {
    case: 'errorResponse',
    value: create(ErrorResponseSchema, { errorCode, errorMessage }),
  };
}

class DescriptorIndex {
  readonly #byName = new Map<string, FileDescriptorProto>();
  readonly #bySymbol = new Map<string, FileDescriptorProto>();

  constructor(roots: readonly DescFile[]) {
    for (const root of roots) this.#addTree(root);
  }

  add(file: FileDescriptorProto): void {
    this.#byName.set(file.name, file);
    for (const symbol of symbolsOf(file)) this.#bySymbol.set(symbol, file);
  }

  #addTree(file: DescFile): void {
    if (this.#byName.has(file.proto.name)) return;
    this.add(file.proto);
    for (const one of file.dependencies) this.#addTree(one);
  }

  /** Returns the file and its dependencies, each before what it depends on itself. Empty when the name is unknown. */
  named(name: string): readonly FileDescriptorProto[] {
    return this.#withDependencies(this.#byName.get(name));
  }

  defining(symbol: string): readonly FileDescriptorProto[] {
    return this.#withDependencies(this.#bySymbol.get(symbol));
  }

  #withDependencies(file: FileDescriptorProto | undefined): readonly FileDescriptorProto[] {
    if (file === undefined) return [];
    const found = new Set<FileDescriptorProto>();
    const visit = (one: FileDescriptorProto): void => {
      const dependencies = one.dependency.map((name) => this.#byName.get(name));
      for (const dependency of dependencies)
        if (dependency !== undefined && !found.has(dependency)) visit(dependency);
      found.add(one);
    };
    visit(file);
    return [...found].toReversed();
  }
}

function symbolsOf(file: FileDescriptorProto): readonly string[] {
  const scope = file.package;
  return [
    ...file.messageType.flatMap((message) => symbolsOfMessage(scope, message)),
    ...file.enumType.map(({ name }) => `${scope}.${name}`),
    ...file.service.flatMap(({ name, method }) => [
      `${scope}.${name}`,
      ...method.map((one) => `${scope}.${name}.${one.name}`),
    ]),
  ];
}

function symbolsOfMessage(scope: string, message: DescriptorProto): readonly string[] {
  const name = `${scope}.${message.name}`;
  return [
    name,
    ...message.nestedType.flatMap((one) => symbolsOfMessage(name, one)),
    ...message.enumType.map((one) => `${name}.${one.name}`),
  ];
}

/** Returns the same file under the older name. */
function alphaOf(v1: FileDescriptorProto): FileDescriptorProto {
  const renamed = (typeName: string): string => typeName.replace(`.${V1}.`, `.${ALPHA}.`);
  const file = clone(FileDescriptorProtoSchema, v1);
  file.name = file.name.replace('/v1/', '/v1alpha/');
  file.package = ALPHA;
  for (const message of file.messageType)
    for (const field of message.field) field.typeName = renamed(field.typeName);
  for (const { method } of file.service)
    for (const one of method) {
      one.inputType = renamed(one.inputType);
      one.outputType = renamed(one.outputType);
    }
  return file;
}
