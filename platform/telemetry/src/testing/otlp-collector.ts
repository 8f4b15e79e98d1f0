/** A collector with only what tests need: OTLP/gRPC on loopback, decoded by hand (opentelemetry/proto/trace/v1/trace.proto). */
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** Nanoseconds since the Unix epoch. */
  readonly started: bigint;
  readonly ended: bigint;
  readonly attributes: Readonly<Record<string, string>>;
  readonly failure: string | undefined;
  readonly service: string;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Resolves with the spans when `wanted` is true for them. The test's own time limit ends a wait that never succeeds. */
  until(wanted: (spans: readonly CollectedSpan[]) => boolean): Promise<readonly CollectedSpan[]>;
}

export async function startCollector(port = 0): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = new Server();
  const bytes = { serialize: (value: Buffer) => value, deserialize: (value: Buffer) => value };
  server.addService(
    {
      export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes.serialize,
        requestDeserialize: bytes.deserialize,
        responseSerialize: bytes.serialize,
        responseDeserialize: bytes.deserialize,
      },
    },
    {
      export(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        spans.push(...spansOf(call.request));
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  return {
    url: `http://127.0.0.1:${bound}`,
    spans,
    async until(wanted) {
      while (!wanted(spans)) await new Promise((resolve) => setTimeout(resolve, 20));
      return spans;
    },
    [Symbol.asyncDispose]: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

type Field = readonly [number: number, value: bigint | Buffer];

/** Returns the fields of a message. Groups are not read. */
function fieldsOf(bytes: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    if (type === 0) fields.push([number, varint()]);
    else if (type === 1) {
      fields.push([number, bytes.readBigUInt64LE(at)]);
      at += 8;
    } else if (type === 5) {
      fields.push([number, BigInt(bytes.readUInt32LE(at))]);
      at += 4;
    } else {
      const length = Number(varint());
      fields.push([number, bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}

function all(bytes: Buffer, number: number): readonly Buffer[] {
  return fieldsOf(bytes).flatMap(([one, value]) => (one === number && Buffer.isBuffer(value) ? [value] : []));
}

function number(bytes: Buffer, wanted: number): bigint {
  const found = fieldsOf(bytes).find(([one]) => one === wanted)?.[1];
  return typeof found === 'bigint' ? found : 0n;
}

function text(bytes: Buffer, wanted: number, encoding: 'utf8' | 'hex' = 'utf8'): string {
  return all(bytes, wanted)[0]?.toString(encoding) ?? '';
}

function spansOf(request: Buffer): readonly CollectedSpan[] {
  return all(request, 1).flatMap((resourceSpans) => {
    const service = attributesOf(all(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1)['service.name'] ?? '';
    return all(resourceSpans, 2).flatMap((scope) => all(scope, 2).map((span) => spanOf(span, service)));
  });
}

function spanOf(span: Buffer, service: string): CollectedSpan {
  const status = all(span, 15)[0] ?? Buffer.alloc(0);
  return {
    traceId: text(span, 1, 'hex'),
    spanId: text(span, 2, 'hex'),
    parentSpanId: text(span, 4, 'hex'),
    name: text(span, 5),
    started: number(span, 7),
    ended: number(span, 8),
    attributes: attributesOf(span, 9),
    failure: number(status, 3) === 2n ? text(status, 2) : undefined,
    service,
  };
}

function attributesOf(message: Buffer, field: number): Readonly<Record<string, string>> {
  const pairs = all(message, field).map((pair) => {
    const [first] = fieldsOf(all(pair, 2)[0] ?? Buffer.alloc(0));
    const value = first?.[1] ?? '';
    return [text(pair, 1), value.toString()] as const;
  });
  return Object.fromEntries(pairs);
}
