/** gRPC over HTTP/2 as other clients speak it, with Node's own client. */
import assert from 'node:assert/strict';
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AgentService, OutputResponseSchema } from '@tinkerbell/api/agent-v1';
import { HealthCheckRequestSchema } from '@tinkerbell/api/health';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { answerOf, eventually, runningServer, type RunningServer } from '../testing/running-server.ts';
import { grpcStatus } from './grpc-status.ts';
import { prefixed } from './messages.ts';

const CHECK = '/grpc.health.v1.Health/Check';
const ASKS = prefixed(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, {})));
const GRPC = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };

interface Answer {
  readonly http: unknown;
  readonly status: number;
  readonly message: unknown;
  readonly bytes: number;
}

function call(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body: Buffer): Promise<Answer> {
  const stream = session.request({ ...GRPC, ':path': CHECK, ...headers });
  const heard: Record<string, unknown> = {};
  let bytes = 0;
  stream.on('response', (fields) => Object.assign(heard, fields));
  stream.on('trailers', (fields) => Object.assign(heard, fields));
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
  stream.on('error', () => undefined);
  stream.end(body);
  return new Promise((resolve) =>
    stream.on('close', () => {
      const { ':status': http, 'grpc-status': code, 'grpc-message': message } = heard;
      resolve({ http, status: Number(code), message, bytes });
    }),
  );
}

async function withSession(run: (session: ClientHttp2Session, server: RunningServer) => Promise<void>) {
  await using server = await runningServer();
  const session = connect(`http://${server.address()}`);
  session.on('error', () => undefined);
  await run(session, server);
  session.destroy();
}

describe('a call that cannot be served gets the reason, and the connection stays', () => {
  const compressed = (bytes: Buffer) => {
    const message = prefixed(gzipSync(bytes));
    message[0] = 1;
    return message;
  };
  const headOf = (length: number) => {
    const bytes = Buffer.alloc(5);
    bytes.writeUInt32BE(length, 1);
    return bytes;
  };
  const gzip = { 'grpc-encoding': 'gzip' };
  const cases: readonly (readonly [string, OutgoingHttpHeaders, Buffer, Partial<Answer>])[] = [
    ['of another method than POST', { ':method': 'PUT' }, ASKS, { http: 405 }],
    ['of another content type', { 'content-type': 'application/json' }, ASKS, { http: 415 }],
    ['of an unknown method', { ':path': '/a.B/C' }, ASKS, { http: 200, status: grpcStatus.unimplemented }],
    ['without a request', {}, Buffer.alloc(0), { status: grpcStatus.unimplemented }],
    ['with two requests', {}, Buffer.concat([ASKS, ASKS]), { status: grpcStatus.unimplemented }],
    ['that is not protobuf', {}, prefixed(Buffer.from([0xff])), { status: grpcStatus.internal }],
    ['that announces 5 MiB', {}, headOf(5 * 1024 * 1024), { status: grpcStatus.resourceExhausted }],
    [
      'with an unknown compression',
      { 'grpc-encoding': 'br' },
      compressed(ASKS),
      { status: grpcStatus.unimplemented },
    ],
    ['that is not compressed', gzip, Buffer.from([1, 0, 0, 0, 1, 7]), { status: grpcStatus.internal }],
    [
      'that decompresses to 5 MiB',
      gzip,
      compressed(Buffer.alloc(5 * 1024 * 1024)),
      { status: grpcStatus.resourceExhausted },
    ],
    ['with an invalid deadline', { 'grpc-timeout': 'soon' }, ASKS, { status: grpcStatus.internal }],
  ];
  for (const [title, headers, body, expected] of cases)
    test(title, () =>
      withSession(async (session) => {
        const answer = await call(session, headers, body);
        assert.deepEqual({ ...answer, ...expected }, answer);
        assert.equal((await call(session, {}, ASKS)).status, grpcStatus.ok);
      }),
    );
});

test('a call ends at its deadline, and the agent waits no longer', () =>
  withSession(async (session, server) => {
    const getAction = { ':path': '/proto.WorkflowService/GetAction', 'grpc-timeout': '20m' };
    // A request with an agent id: field 1, one character.
    const answer = await call(session, getAction, prefixed(Buffer.from([0x0a, 1, 0x61])));
    assert.equal(answer.status, grpcStatus.deadlineExceeded);
    await eventually(() => (server.counter('tink_server_waiting_agents') === 0 ? true : undefined));
  }));

test('messages arrive in any pieces, and the text of an error survives', () =>
  withSession(async (session) => {
    const hello = '/tinkerbell.agent.v1.AgentService/Report';
    const unknown = await call(session, { ':path': hello }, prefixed(Buffer.alloc(0)));
    assert.equal(unknown.status, grpcStatus.unauthenticated);
    assert.equal(unknown.message, 'unknown session; send Hello');
    const stream = session.request({ ...GRPC, ':path': CHECK });
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    for (const byte of prefixed(Buffer.from([0x0a, 0]))) {
      stream.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    stream.end();
    await new Promise((resolve) => stream.on('close', resolve));
    assert.equal(bytes, 7);
  }));

test('many requests of a stream are answered in their order', () =>
  withSession(async (session, server) => {
    const client = server.client(serviceDefinition(AgentService));
    const { sessionId } = await answerOf<{ sessionId: string }>(client, 'hello', { agentId: 'a' });
    const { output } = serviceDefinition(AgentService);
    const stream = session.request({ ...GRPC, ':path': output.path });
    let received = Buffer.alloc(0);
    stream.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    const text = Buffer.alloc(1000);
    for (let position = 1; position <= 2000; position++) {
      const lines = { lines: [{ position: BigInt(position), stream: 1, text }] };
      const request = { sessionId, payload: { case: 'lines', value: lines } } as never;
      stream.write(prefixed(output.requestSerialize(request)));
    }
    stream.end();
    await new Promise((resolve) => stream.on('close', resolve));
    const positions: bigint[] = [];
    for (let at = 0; at < received.length;) {
      const end = at + 5 + received.readUInt32BE(at + 1);
      positions.push(fromBinary(OutputResponseSchema, received.subarray(at + 5, end)).position);
      at = end;
    }
    assert.deepEqual(
      positions,
      Array.from({ length: 2000 }, (_, index) => BigInt(index + 1)),
    );
  }));
