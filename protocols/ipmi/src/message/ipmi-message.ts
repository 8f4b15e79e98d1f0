import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { joinBytes } from '../bytes.ts';

/** Network functions of requests (table 5-1). The answer has the next odd number. */
export const netFn = {
  chassis: 0x00,
  sensor: 0x04,
  application: 0x06,
  storage: 0x0a,
  transport: 0x0c,
} as const;

export interface IpmiRequest {
  readonly netFn: number;
  readonly command: number;
  readonly bytes: Uint8Array;
}

export interface IpmiResponse {
  readonly completionCode: number;
  /** What follows the completion code. */
  readonly bytes: Uint8Array;
}

/** A request with the addresses that its answer repeats. */
export interface RequestMessage extends IpmiRequest {
  /** 0 to 63. The client counts its requests. */
  readonly sequence: number;
  readonly requesterAddress: number;
  readonly requesterLun: number;
  readonly responderAddress: number;
  readonly responderLun: number;
}

/** An answer with what it answers. */
export interface ResponseMessage extends IpmiResponse {
  readonly netFn: number;
  readonly command: number;
  readonly sequence: number;
}

const BMC_ADDRESS = 0x20;
const CLIENT_ADDRESS = 0x81;
const LUN_MASK = 3;

/** Encodes a request from a remote console to the BMC (section 13.8). */
export function encodeRequest(request: IpmiRequest, sequence: number): Uint8Array {
  const head = [BMC_ADDRESS, request.netFn << 2];
  const body = Uint8Array.of(CLIENT_ADDRESS, sequence << 2, request.command, ...request.bytes);
  return withChecksums(head, body);
}

export function encodeResponse(request: RequestMessage, response: IpmiResponse): Uint8Array {
  const head = [request.requesterAddress, ((request.netFn | 1) << 2) | request.requesterLun];
  const body = Uint8Array.of(
    request.responderAddress,
    (request.sequence << 2) | request.responderLun,
    request.command,
    response.completionCode,
    ...response.bytes,
  );
  return withChecksums(head, body);
}

export function decodeRequest(bytes: Uint8Array): Decoded<RequestMessage> {
  return decoded(() => {
    const message = readMessage(bytes);
    const { reader } = message;
    if (message.netFn % 2 !== 0) reader.fail('not-a-request', 'network function', `${message.netFn}`);
    return {
      netFn: message.netFn,
      command: message.command,
      sequence: message.sequence,
      responderAddress: message.toAddress,
      responderLun: message.toLun,
      requesterAddress: message.fromAddress,
      requesterLun: message.fromLun,
      bytes: reader.bytes(reader.remaining - 1, 'request'),
    };
  });
}

export function decodeResponse(bytes: Uint8Array): Decoded<ResponseMessage> {
  return decoded(() => {
    const { reader, netFn, command, sequence } = readMessage(bytes);
    if (netFn % 2 === 0) reader.fail('not-an-answer', 'network function', `${netFn}`);
    if (reader.remaining < 2) reader.fail('truncated', 'completion code', 'needs 1 byte');
    const completionCode = reader.uint8('completion code');
    return {
      netFn: netFn - 1,
      command,
      sequence,
      completionCode,
      bytes: reader.bytes(reader.remaining - 1, 'answer'),
    };
  });
}

interface ReadMessage {
  readonly reader: ByteReader;
  readonly toAddress: number;
  readonly netFn: number;
  readonly toLun: number;
  readonly fromAddress: number;
  readonly sequence: number;
  readonly fromLun: number;
  readonly command: number;
}

/** Checks both checksums and reads up to the command. The last byte that remains is the second checksum. */
function readMessage(bytes: Uint8Array): ReadMessage {
  const reader = new ByteReader(bytes);
  const toAddress = reader.uint8('responder address');
  const netFnAndLun = reader.uint8('network function');
  reader.skip(1, 'first checksum');
  const fromAddress = reader.uint8('requester address');
  const sequenceAndLun = reader.uint8('sequence number');
  const command = reader.uint8('command');
  if (reader.remaining < 1) reader.fail('truncated', 'second checksum', 'needs 1 byte');
  if (sumOf(bytes.subarray(0, 3)) !== 0) reader.fail('wrong-checksum', 'first checksum', 'does not match');
  if (sumOf(bytes.subarray(3)) !== 0) reader.fail('wrong-checksum', 'second checksum', 'does not match');
  return {
    reader,
    toAddress,
    netFn: netFnAndLun >> 2,
    toLun: netFnAndLun & LUN_MASK,
    fromAddress,
    sequence: sequenceAndLun >> 2,
    fromLun: sequenceAndLun & LUN_MASK,
    command,
  };
}

/** Each part and its checksum add up to 0 (modulo 256). */
function withChecksums(head: readonly number[], body: Uint8Array): Uint8Array {
  const first = Uint8Array.from(head);
  const check = (bytes: Uint8Array): Uint8Array => Uint8Array.of(-sumOf(bytes));
  return joinBytes(first, check(first), body, check(body));
}

function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum + byte) & 0xff;
  return sum;
}
