/**
 * Boot tokens and session tokens: base64url of fields in a fixed order, big-endian, and the first 16 bytes of
 * their HMAC. Without the key nobody can create or change a token. The first byte states the purpose, so that
 * one kind cannot be used as the other.
 *
 * purpose 1 | MAC 6 | expiry, seconds since 1970 4 | workflow 8 | nonce 8 | signature 16          a boot
 * token, 43 bytes
 * purpose 1 | MAC 6 | expiry                     4 | workflow 8 | session id 16 | agent id | signature 16
 * a session
 */
import {
  ByteReader,
  ByteWriter,
  decodeUtf8,
  encodeUtf8,
  MAC_BYTES,
  macFromBytes,
  macToBytes,
  type Mac,
} from '@tinkerbell/wire';
import { decodeBase64url, encodeBase64url } from './base64url.ts';
import type { TokenKey } from './token-key.ts';

interface TokenFields {
  readonly mac: Mac;
  /** Seconds since the Unix epoch. */
  readonly expiresSeconds: number;
  /** The value of `workflowMark`. */
  readonly workflow: Uint8Array;
}

export interface BootToken extends TokenFields {
  readonly purpose: 'boot';
  /** 8 bytes. */
  readonly nonce: Uint8Array;
}

export interface SessionToken extends TokenFields {
  readonly purpose: 'session';
  /** 16 bytes. */
  readonly sessionId: Uint8Array;
  readonly agentId: string;
}

export const BOOT_NONCE_BYTES = 8;
export const SESSION_ID_BYTES = 16;
const MARK_BYTES = 8;
const SIGNATURE_BYTES = 16;
const HEAD_BYTES = 1 + MAC_BYTES + 4 + MARK_BYTES;
/** Longer than any agent id. */
const AGENT_ID_BYTES_MAX = 1024;
const TOKEN_CHARACTERS_MAX = 1500;

const PURPOSE_BOOT = 1;
const PURPOSE_SESSION = 2;

/** Represents no workflow. */
export const NO_WORKFLOW: Uint8Array = new Uint8Array(MARK_BYTES);

/** Returns 8 bytes that represent the workflow with this uid. */
export function workflowMark(uid: string | undefined, key: TokenKey): Uint8Array {
  return uid === undefined ? NO_WORKFLOW : key.sign(encodeUtf8(`workflow ${uid}`)).subarray(0, MARK_BYTES);
}

/** 58 characters, each safe in a kernel argument. */
export function encodeBootToken(token: Omit<BootToken, 'purpose'>, key: TokenKey): string {
  const writer = new ByteWriter(HEAD_BYTES + BOOT_NONCE_BYTES);
  writeHead(writer, PURPOSE_BOOT, token);
  writer.padded(token.nonce, BOOT_NONCE_BYTES);
  return signed(writer.finish(), key);
}

/** Safe as the value of a header. @throws RangeError for an agent id of more than 1024 bytes. */
export function encodeSessionToken(token: Omit<SessionToken, 'purpose'>, key: TokenKey): string {
  const agentId = encodeUtf8(token.agentId);
  if (agentId.length > AGENT_ID_BYTES_MAX) throw new RangeError('the agent id is too long for a session');
  const writer = new ByteWriter(HEAD_BYTES + SESSION_ID_BYTES + agentId.length);
  writeHead(writer, PURPOSE_SESSION, token);
  writer.padded(token.sessionId, SESSION_ID_BYTES);
  writer.bytes(agentId);
  return signed(writer.finish(), key);
}

/** Returns undefined for a token that this key has not signed. Does not check the expiry. */
export function decodeToken(text: string, key: TokenKey): BootToken | SessionToken | undefined {
  const bytes = text.length > TOKEN_CHARACTERS_MAX ? undefined : decodeBase64url(text);
  if (bytes === undefined || bytes.length < HEAD_BYTES + BOOT_NONCE_BYTES + SIGNATURE_BYTES) return undefined;
  const content = bytes.subarray(0, -SIGNATURE_BYTES);
  if (!key.isSame(signatureOf(content, key), bytes.subarray(-SIGNATURE_BYTES))) return undefined;
  const reader = new ByteReader(content);
  const purpose = reader.uint8('purpose');
  const mac = macFromBytes(reader.bytes(MAC_BYTES, 'MAC'));
  if (mac === undefined) return undefined;
  const expiresSeconds = reader.uint32('expiry');
  const fields = { mac, expiresSeconds, workflow: reader.bytes(MARK_BYTES, 'workflow') };
  if (purpose === PURPOSE_BOOT && reader.remaining === BOOT_NONCE_BYTES)
    return { purpose: 'boot', ...fields, nonce: reader.bytes(BOOT_NONCE_BYTES, 'nonce') };
  if (purpose !== PURPOSE_SESSION || reader.remaining < SESSION_ID_BYTES) return undefined;
  const sessionId = reader.bytes(SESSION_ID_BYTES, 'session id');
  const agentId = decodeUtf8(reader.bytes(reader.remaining, 'agent id'));
  return agentId === undefined ? undefined : { purpose: 'session', ...fields, sessionId, agentId };
}

function writeHead(
  writer: ByteWriter,
  purpose: number,
  { mac, expiresSeconds, workflow }: TokenFields,
): void {
  writer.uint8(purpose);
  writer.bytes(macToBytes(mac));
  writer.uint32(expiresSeconds);
  writer.padded(workflow, MARK_BYTES);
}

function signed(content: Uint8Array, key: TokenKey): string {
  const writer = new ByteWriter(content.length + SIGNATURE_BYTES);
  writer.bytes(content);
  writer.bytes(signatureOf(content, key));
  return encodeBase64url(writer.finish());
}

function signatureOf(content: Uint8Array, key: TokenKey): Uint8Array {
  return key.sign(content).subarray(0, SIGNATURE_BYTES);
}
