/**
 * Puts keys into etcd over its gRPC API, from a separate process. It reads a plan from its channel, and
 * answers with the result.
 */
import { GrpcConnection, type Method } from '@tinkerbell/sim/grpc-connection';

export interface EtcdPlan {
  readonly authority: string;
  readonly writers: number;
  readonly seconds: number;
}

export interface EtcdResult {
  readonly puts: number;
  readonly seconds: number;
}

const VALUE = Buffer.alloc(1024, 'x');
const KEYS = 1000;

/** `etcdserverpb.KV/Put`: key and value are the fields 1 and 2 of the request. */
const put: Method<string, true> = {
  path: '/etcdserverpb.KV/Put',
  requestSerialize: (key) => Buffer.concat([field(1, Buffer.from(key)), field(2, VALUE)]),
  responseDeserialize: () => true,
};

function field(number: number, bytes: Buffer): Buffer {
  const length = bytes.length;
  const size = length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...size]), bytes]);
}

async function run({ authority, writers, seconds }: EtcdPlan): Promise<EtcdResult> {
  const connections = await Promise.all(
    Array.from({ length: writers }, () => GrpcConnection.open(authority)),
  );
  let puts = 0;
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < endMs) {
        await connection.unary(put, `/bench/${puts % KEYS}`);
        puts += 1;
      }
    }),
  );
  return { puts, seconds: (performance.now() - startedMs) / 1000 };
}

process.once('message', (plan: EtcdPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.exit(0)));
});
