/** The messages that begin each session, and those of serial over LAN. Numbers are little-endian. */

export const type = {
  startSession: 0x10,
  startedSession: 0x11,
  endSession: 0x12,
  authenticate: 0x13,
  authenticated: 0x14,
  startSol: 0x20,
  startedSol: 0x21,
  endSol: 0x22,
  endedSol: 0x23,
  ping: 0x24,
  pong: 0x25,
  solSettings: 0x27,
  dataToHost: 0x28,
  controlsFromHost: 0x29,
  dataFromHost: 0x2a,
  heartbeat: 0x2b,
} as const;

/** The status of `startedSession`. */
export const startStatus = { success: 0, unknownType: 1, busy: 2, unsupported: 3 } as const;

/** How a user logs in. `query` asks for the ways. `plain` sends the password. */
export const loginType = { query: 0, plain: 1, digest2069: 3, digest2617: 4 } as const;
export type LoginType = (typeof loginType)[keyof typeof loginType];

/** What a session redirects: the serial port, or drives. */
const sessionKinds = ['sol', 'ider'] as const;
export type SessionKind = (typeof sessionKinds)[number];
const KINDS: Readonly<Record<SessionKind, readonly number[]>> = {
  sol: [0x53, 0x4f, 0x4c, 0x20], // "SOL "
  ider: [0x49, 0x44, 0x45, 0x52], // "IDER"
};
/** A session of the device ends when it has heard nothing for this time. */
const RECEIVE_TIMEOUT_MS = 10_000;
/** How often the device sends a heartbeat, which is sent back. */
export const HEARTBEAT_MS = 5000;
/** The device sends what it has of the serial port after this time. */
const TRANSMIT_TIMEOUT_MS = 100;
/** The device sends messages of at most this many bytes, and takes as many. */
export const DATA_BYTES_MAX = 1000;
export const DATA_HEAD_BYTES = 10;
export const LOGIN_HEAD_BYTES = 9;

/** What each side sends. `sequence` counts the messages of a side. */
export const message = {
  startSession: (kind: SessionKind) => Uint8Array.of(type.startSession, 0, 0, 0, ...KINDS[kind]),
  startedSession: (status: number) =>
    status === startStatus.success
      ? Uint8Array.of(type.startedSession, status, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
      : Uint8Array.of(type.startedSession, status, 0, 0),
  endSession: () => Uint8Array.of(type.endSession, 0, 0, 0),
  authenticate: (login: LoginType, data: Uint8Array) => loginMessage([type.authenticate, 0], login, data),
  /** `status` 0: logged in. 1 has a challenge, or refuses the login. */
  authenticated: (status: number, login: LoginType, data: Uint8Array) =>
    loginMessage([type.authenticated, status], login, data),
  startSol: (sequence: number) => {
    const settings = [DATA_BYTES_MAX, TRANSMIT_TIMEOUT_MS, 0, RECEIVE_TIMEOUT_MS, 0, HEARTBEAT_MS, 0, 0];
    return Uint8Array.of(type.startSol, 0, 0, 0, ...uint32(sequence), ...settings.flatMap(uint16));
  },
  startedSol: (status: number, sequence: number) =>
    Uint8Array.of(type.startedSol, status, 0, 0, ...uint32(sequence), ...Array<number>(15).fill(0)),
  endSol: (sequence: number) => plain(type.endSol, sequence),
  endedSol: (sequence: number) => plain(type.endedSol, sequence),
  heartbeat: (sequence: number) => plain(type.heartbeat, sequence),
  pong: (sequence: number) => plain(type.pong, sequence),
  dataToHost: (sequence: number, bytes: Uint8Array) => dataMessage(type.dataToHost, sequence, bytes),
  dataFromHost: (sequence: number, bytes: Uint8Array) => dataMessage(type.dataFromHost, sequence, bytes),
} as const;

/** The characters of `dataToHost` and `dataFromHost`. */
export function dataIn(bytes: Uint8Array): Uint8Array {
  return bytes.slice(DATA_HEAD_BYTES);
}

/** Undefined: of a kind that is not known. */
export function sessionKindIn(bytes: Uint8Array): SessionKind | undefined {
  return sessionKinds.find((kind) => KINDS[kind].every((byte, index) => bytes[4 + index] === byte));
}

export interface LoginData {
  readonly status: number;
  readonly login: number;
  readonly data: Uint8Array;
}

/** Reads `authenticate` and `authenticated`. */
export function loginIn(bytes: Uint8Array): LoginData {
  return { status: bytes[1] ?? 0, login: bytes[4] ?? 0, data: bytes.slice(LOGIN_HEAD_BYTES) };
}

function loginMessage(
  [kind, status]: readonly [number, number],
  login: LoginType,
  data: Uint8Array,
): Uint8Array {
  return Uint8Array.of(kind, status, 0, 0, login, ...uint32(data.length), ...data);
}

function dataMessage(kind: number, sequence: number, bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(kind, 0, 0, 0, ...uint32(sequence), ...uint16(bytes.length), ...bytes);
}

export function plain(kind: number, sequence: number): Uint8Array {
  return Uint8Array.of(kind, 0, 0, 0, ...uint32(sequence));
}

export function uint16(value: number): readonly number[] {
  return [value & 0xff, (value >> 8) & 0xff];
}

export function uint32(value: number): readonly number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff];
}
