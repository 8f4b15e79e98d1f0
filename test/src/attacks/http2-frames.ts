/**
 * Sends frames of HTTP/2 to the port of the agents, directly and through the gateway: floods of one kind, and any of them mixed.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeFields } from '@tinkerbell/http2';
import { frame, number, PREFACE } from '@tinkerbell/http2/testing';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';

const FRAMES_MAX = 3000;
const FLOODS_MAX = 4;
const STREAMS_MAX = 2000;
const WAIT_MS_MAX = 1500;

/** Methods of agents, and other paths. */
export const CALL_PATHS = [
  '/proto.WorkflowService/GetAction',
  '/proto.WorkflowService/ReportActionStatus',
  '/proto.WorkflowService/GetWorkflowContexts',
  '/tinkerbell.agent.v1.AgentService/Hello',
  '/tinkerbell.agent.v1.AgentService/Actions',
  '/tinkerbell.agent.v1.AgentService/Output',
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/grpc.health.v1.Health/Check',
  '/no.such/Method',
  '/healthz',
];

function request(choice: SeededChoice): Uint8Array {
  return encodeFields([
    [':method', choice.of(['POST', 'POST', 'POST', 'GET'])],
    [':scheme', 'http'],
    [':path', choice.of(CALL_PATHS)],
    ['content-type', choice.of(['application/grpc', 'application/grpc+proto', 'text/plain'])],
    ['grpc-encoding', choice.of(['gzip', 'identity', 'br'])],
    ['grpc-timeout', choice.of(['1S', '99999999H', '1n', 'x'])],
    [choice.of(['a', 'authorization', 'te', ':path']), 'x'.repeat(choice.below(9000))],
  ]);
}

/** The start of a message, with any length in front. */
function message(choice: SeededChoice): Buffer {
  const length = choice.of([0, 1, 5, 100, 16_000, 0xffff_ffff]);
  return Buffer.concat([Buffer.of(choice.below(3)), number(length), Buffer.alloc(choice.below(16_000), 1)]);
}

/** One frame. Streams of clients have odd numbers. */
type FrameOf = (choice: SeededChoice, streamId: number) => Buffer;

const generators: readonly FrameOf[] = [
  (choice, id) => frame(1, 4 | choice.below(2), id, request(choice)),
  (choice, id) => Buffer.concat([frame(1, 4, id, request(choice)), frame(3, 0, id, number(8))]),
  (choice, id) =>
    Buffer.concat([frame(1, 4, id, request(choice)), frame(0, choice.below(2), id, message(choice))]),
  (choice) => frame(0, choice.below(2), 1 + 2 * choice.below(STREAMS_MAX), message(choice)),
  (choice) => frame(0, 8, 1 + 2 * choice.below(STREAMS_MAX), Buffer.alloc(1 + choice.below(300))),
  () => frame(6, 0, 0, Buffer.alloc(8)),
  (choice) => frame(8, 0, choice.of([0, 1, 3]), number(choice.of([1, 0, 65_535, 0x7fff_ffff]))),
  (choice) =>
    frame(
      4,
      0,
      0,
      Buffer.concat(
        Array.from({ length: choice.below(2700) }, () => Buffer.of(0, 4, 0, 0, choice.below(255), 1)),
      ),
    ),
  (choice, id) => frame(1, 0, id, request(choice).subarray(0, choice.below(40))),
  (choice, id) => frame(9, 0, id, Buffer.alloc(choice.below(16_384))),
  (choice, id) =>
    frame(1, 4, id, Buffer.alloc(choice.below(16_384), choice.of([0x80, 0xff, 0x40, 0x3f, 0x82]))),
  (_choice, id) => frame(2, 0, id, Buffer.alloc(5)),
  (choice, id) =>
    frame(
      choice.below(256),
      choice.below(256),
      choice.below(id + 1),
      Buffer.alloc(choice.below(100), choice.below(256)),
    ),
  (choice) => Buffer.alloc(choice.below(2000), choice.below(256)),
];

export const http2Frames: Attack = {
  name: 'http2-frames',
  sends: 'stream',
  async once({ agentPort, gatewayUrl }, choice) {
    const socket = connect(choice.of([agentPort, Number(new URL(gatewayUrl).port)]), '127.0.0.1');
    socket.on('error', () => undefined);
    if (choice.once(3)) socket.pause();
    else socket.resume();
    try {
      socket.write(PREFACE);
      socket.write(frame(4, 0, 0, choice.of([Buffer.alloc(0), Buffer.from([0, 4, 0, 0, 0, 0])])));
      let streamId = 1;
      for (let floods = 1 + choice.below(FLOODS_MAX); floods > 0; floods -= 1) {
        const only = choice.once(2) ? choice.of(generators) : undefined;
        for (let count = choice.below(FRAMES_MAX); count > 0 && !socket.destroyed; count -= 1) {
          await written(socket, (only ?? choice.of(generators))(choice, streamId));
          streamId += 2;
        }
      }
      await delay(choice.below(WAIT_MS_MAX));
    } finally {
      socket.destroy();
    }
  },
};

async function written(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.write(bytes) || socket.destroyed) return;
  // A server that has ended the connection, or one that reads no further, is a refusal.
  await Promise.race([once(socket, 'drain'), once(socket, 'close'), delay(WAIT_MS_MAX)]).catch(
    () => undefined,
  );
}
