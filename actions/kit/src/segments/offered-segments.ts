/**
 * The segments of the in-memory OS: programs that are not in its first stage. Its initramfs has the list, with
 * the digest of each segment, so that a download can be trusted. Other systems have no list.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ActionError } from '../action-error.ts';

export type SegmentName = 'containers' | 'filesystems' | 'boot' | 'images' | 'lvm' | 'mdraid' | 'luks';

export interface Segment {
  readonly name: string;
  /** The name of the file beside the initramfs. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly programs: readonly string[];
}

/** Where the list is, and where segments are unpacked. */
export const SYSTEM_ROOT = '/';
const LIST = 'usr/lib/tinkerbell/segments.json';
/** A segment is in memory, twice, while it is unpacked. */
const SEGMENT_MAX_BYTES = 64 * 1024 * 1024;
const FILE_NAME = /^[a-z0-9][a-z0-9._-]{0,127}$/;

/** Returns undefined if this system does not have it: another system, or another processor. */
export function offeredSegment(name: SegmentName, root = SYSTEM_ROOT): Segment | undefined {
  return listedIn(root).find((segment) => segment.name === name);
}

/** Whether this is the in-memory OS, of which everything is in memory and belongs to the agent. */
export function isInMemorySystem(root = SYSTEM_ROOT): boolean {
  return existsSync(join(root, LIST));
}

function listedIn(root: string): readonly Segment[] {
  const path = join(root, LIST);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const segments = segmentsIn(text);
  if (segments !== undefined) return segments;
  throw new ActionError(`${path} is damaged: build the in-memory OS again with npm run hook`);
}

/** Returns undefined for a text that is not a list of segments. */
export function segmentsIn(text: string): readonly Segment[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const list = isObject(document) ? document['segments'] : undefined;
    return Array.isArray(list) && list.every(isSegment) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isSegment(value: unknown): value is Segment {
  if (!isObject(value)) return false;
  const { name, file, bytes, sha256, programs } = value;
  const isFile = typeof file === 'string' && FILE_NAME.test(file);
  const isSize =
    typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0 && bytes <= SEGMENT_MAX_BYTES;
  const isDigest = typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
  const arePrograms = Array.isArray(programs) && programs.every((one) => typeof one === 'string');
  return typeof name === 'string' && isFile && isSize && isDigest && arePrograms;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
