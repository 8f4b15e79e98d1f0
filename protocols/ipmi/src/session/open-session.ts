import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint32Le, uint32Le } from '../bytes.ts';
import type { CipherSuite } from './cipher-suite.ts';

type Algorithms = Pick<CipherSuite, 'authentication' | 'integrity' | 'confidentiality'>;

/** Section 13.17. */
export interface OpenSessionRequest {
  readonly tag: number;
  /** 0: the highest that the cipher suite allows. */
  readonly privilege: number;
  readonly clientId: number;
  readonly algorithms: Algorithms;
}

/** Section 13.18. A refusal has only tag, status and the client's id, which is 0 when the BMC leaves it out. */
export interface OpenSessionResponse {
  readonly tag: number;
  readonly status: number;
  readonly clientId: number;
  readonly accepted?: {
    readonly privilege: number;
    readonly bmcId: number;
    readonly algorithms: Algorithms;
  };
}

const ALGORITHM_KINDS = ['authentication', 'integrity', 'confidentiality'] as const;
const ALGORITHM_BYTES = 8;
/** Privilege level, reserved, client id. */
const REFUSAL_BYTES = 6;

export function encodeOpenSessionRequest(request: OpenSessionRequest): Uint8Array {
  const { tag, privilege, clientId, algorithms } = request;
  return Uint8Array.of(tag, privilege, 0, 0, ...uint32Le(clientId), ...algorithmBytes(algorithms));
}

export function decodeOpenSessionRequest(payload: Uint8Array): Decoded<OpenSessionRequest> {
  return decoded(() => {
    const reader = new ByteReader(payload);
    const tag = reader.uint8('message tag');
    const privilege = reader.uint8('requested privilege level') & 0x0f;
    reader.skip(2, 'reserved');
    const clientId = readUint32Le(reader, 'client session id');
    return { tag, privilege, clientId, algorithms: readAlgorithms(reader) };
  });
}

export function encodeOpenSessionResponse(response: OpenSessionResponse): Uint8Array {
  const { tag, status, clientId, accepted } = response;
  const head = [tag, status, accepted?.privilege ?? 0, 0, ...uint32Le(clientId)];
  if (accepted === undefined) return Uint8Array.from(head);
  return Uint8Array.of(...head, ...uint32Le(accepted.bmcId), ...algorithmBytes(accepted.algorithms));
}

export function decodeOpenSessionResponse(payload: Uint8Array): Decoded<OpenSessionResponse> {
  return decoded(() => {
    const reader = new ByteReader(payload);
    const tag = reader.uint8('message tag');
    const status = reader.uint8('status');
    // OpenIPMI's simulator ends a refusal here, and other BMCs after the client's id.
    if (status !== 0 && reader.remaining < REFUSAL_BYTES) return { tag, status, clientId: 0 };
    const privilege = reader.uint8('privilege level') & 0x0f;
    reader.skip(1, 'reserved');
    const clientId = readUint32Le(reader, 'client session id');
    if (status !== 0) return { tag, status, clientId };
    const bmcId = readUint32Le(reader, 'BMC session id');
    return { tag, status, clientId, accepted: { privilege, bmcId, algorithms: readAlgorithms(reader) } };
  });
}

function algorithmBytes(algorithms: Algorithms): readonly number[] {
  return ALGORITHM_KINDS.flatMap((kind, type) => [type, 0, 0, ALGORITHM_BYTES, algorithms[kind], 0, 0, 0]);
}

function readAlgorithms(reader: ByteReader): Algorithms {
  const read = (type: number): number => {
    const kind = ALGORITHM_KINDS[type] ?? '';
    const found = reader.uint8(`${kind} payload type`);
    if (found !== type) reader.fail('wrong-type', `${kind} payload type`, `${found}, expected ${type}`);
    reader.skip(2, 'reserved');
    // Length 0 asks for any algorithm (table 13-9). Nothing here proposes that, so it selects none.
    const length = reader.uint8(`${kind} payload length`);
    const algorithm = reader.uint8(`${kind} algorithm`) & 0x3f;
    reader.skip(3, 'reserved');
    return length === 0 ? 0 : algorithm;
  };
  return { authentication: read(0), integrity: read(1), confidentiality: read(2) };
}
