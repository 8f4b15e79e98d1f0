import {
  create,
  fromBinary,
  toBinary,
  type DescMethodUnary,
  type DescService,
  type MessageShape,
} from '@bufbuild/protobuf';

/** One method in the shape that gRPC libraries of the Node world take, without importing one. */
export interface UnaryMethodDefinition<Input, Output> {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: false;
  requestSerialize(value: Input): Buffer;
  requestDeserialize(bytes: Buffer): Input;
  responseSerialize(value: Output): Buffer;
  responseDeserialize(bytes: Buffer): Output;
}

type UnaryMethods<Service extends DescService> = {
  readonly [Name in keyof Service['method']]: Service['method'][Name] extends DescMethodUnary<
    infer Input,
    infer Output
  >
    ? UnaryMethodDefinition<MessageShape<Input>, MessageShape<Output>>
    : never;
};

/** The unary methods of a protobuf service as a gRPC service definition; names are lower camel case. */
export function serviceDefinition<Service extends DescService>(service: Service): UnaryMethods<Service> {
  const methods: Record<string, UnaryMethodDefinition<MessageShape<never>, MessageShape<never>>> = {};
  for (const method of service.methods) {
    if (method.methodKind !== 'unary') continue;
    methods[method.localName] = {
      path: `/${service.typeName}/${method.name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (value) => Buffer.from(toBinary(method.input, create(method.input, value))),
      requestDeserialize: (bytes) => fromBinary(method.input, bytes) as never,
      responseSerialize: (value) => Buffer.from(toBinary(method.output, create(method.output, value))),
      responseDeserialize: (bytes) => fromBinary(method.output, bytes) as never,
    };
  }
  return methods as unknown as UnaryMethods<Service>;
}
