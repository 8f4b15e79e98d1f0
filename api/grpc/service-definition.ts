import {
  create,
  fromBinary,
  toBinary,
  type DescMethod,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';

/** One method in the shape that gRPC libraries of the Node world take, without importing one. */
export interface MethodDefinition<
  Input,
  Output,
  RequestStream = boolean,
  ResponseStream = boolean,
  Request = Input,
> {
  readonly path: string;
  readonly requestStream: RequestStream;
  readonly responseStream: ResponseStream;
  /** Fields that a request leaves out have their default. */
  requestSerialize(value: Request): Buffer;
  requestDeserialize(bytes: Buffer): Input;
  responseSerialize(value: Output): Buffer;
  responseDeserialize(bytes: Buffer): Output;
}

type MethodOf<Method extends DescMethod> =
  Method extends DescMethodUnary<infer Input, infer Output>
    ? MethodDefinition<MessageShape<Input>, MessageShape<Output>, false, false, MessageInitShape<Input>>
    : Method extends DescMethodServerStreaming<infer Input, infer Output>
      ? MethodDefinition<MessageShape<Input>, MessageShape<Output>, false, true, MessageInitShape<Input>>
      : Method extends DescMethodClientStreaming<infer Input, infer Output>
        ? MethodDefinition<MessageShape<Input>, MessageShape<Output>, true, false, MessageInitShape<Input>>
        : Method extends DescMethodBiDiStreaming<infer Input, infer Output>
          ? MethodDefinition<MessageShape<Input>, MessageShape<Output>, true, true, MessageInitShape<Input>>
          : never;

export type MethodsOf<Service extends DescService> = {
  readonly [Name in keyof Service['method']]: MethodOf<Service['method'][Name]>;
};

/**
 * The methods of a protobuf service as a gRPC service definition; names are lower camel case. `typeName` is how the
 * service is called on the wire when that is not its name in our sources.
 */
export function serviceDefinition<Service extends DescService>(
  service: Service,
  typeName = service.typeName,
): MethodsOf<Service> {
  const methods: Record<string, MethodDefinition<MessageShape<never>, MessageShape<never>>> = {};
  for (const method of service.methods) {
    methods[method.localName] = {
      path: `/${typeName}/${method.name}`,
      requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
      responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
      requestSerialize: (value) => Buffer.from(toBinary(method.input, create(method.input, value))),
      requestDeserialize: (bytes) => fromBinary(method.input, bytes) as never,
      responseSerialize: (value) => Buffer.from(toBinary(method.output, create(method.output, value))),
      responseDeserialize: (bytes) => fromBinary(method.output, bytes) as never,
    };
  }
  return methods as unknown as MethodsOf<Service>;
}
