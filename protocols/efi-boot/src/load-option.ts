/** An EFI_LOAD_OPTION, the content of a `Boot####` variable: UEFI 2.10 section 3.1.3. Numbers are little-endian. */
import { guidFromBytes, guidToBytes, type Guid } from '@tinkerbell/gpt';

/** A file on a partition of a GPT disk. */
export interface LoaderPath {
  readonly partition: {
    readonly number: number;
    readonly firstSector: number;
    readonly sectors: number;
    readonly id: Guid;
  };
  /** With backslashes: `\EFI\debian\shimx64.efi`. */
  readonly file: string;
}

export interface LoadOption {
  readonly description: string;
  readonly active: boolean;
  /** Absent when the entry boots something else, such as the network. */
  readonly loader?: LoaderPath;
}

const ACTIVE = 1;
const DESCRIPTION_OFFSET = 6;
/** Device path nodes: type, subtype, length of 16 bits (section 10.3.1). */
const MEDIA = 4;
const HARD_DRIVE = 1;
const HARD_DRIVE_BYTES = 42;
const FILE_PATH = 4;
export const NODE_HEAD_BYTES = 4;
export const END = [0x7f, 0xff, 4, 0] as const;
const GPT_FORMAT = 2;
const GUID_SIGNATURE = 2;

/** Returns an active entry. `description` and `file` must not contain NUL. */
export function encodeLoadOption(description: string, { partition, file }: LoaderPath): Uint8Array {
  const path = utf16(file);
  const pathBytes = HARD_DRIVE_BYTES + NODE_HEAD_BYTES + path.length + END.length;
  const { bytes, view, pathAt: drive } = activeOption(description, pathBytes);
  setHead(view, drive, { subtype: HARD_DRIVE, length: HARD_DRIVE_BYTES });
  view.setUint32(drive + 4, partition.number, true);
  view.setBigUint64(drive + 8, BigInt(partition.firstSector), true);
  view.setBigUint64(drive + 16, BigInt(partition.sectors), true);
  bytes.set(guidToBytes(partition.id), drive + 24);
  bytes.set([GPT_FORMAT, GUID_SIGNATURE], drive + 40);
  const node = drive + HARD_DRIVE_BYTES;
  setHead(view, node, { subtype: FILE_PATH, length: NODE_HEAD_BYTES + path.length });
  bytes.set(path, node + NODE_HEAD_BYTES);
  bytes.set(END, node + NODE_HEAD_BYTES + path.length);
  return bytes;
}

/** Returns undefined for bytes that are not an entry. */
export function decodeLoadOption(bytes: Uint8Array): LoadOption | undefined {
  if (bytes.length < DESCRIPTION_OFFSET) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = textUntilNul(view, DESCRIPTION_OFFSET, bytes.length);
  if (name === undefined) return undefined;
  const pathStart = name.end;
  const pathEnd = pathStart + view.getUint16(4, true);
  if (pathEnd > bytes.length) return undefined;
  const loader = loaderAt(view, pathStart, pathEnd);
  return {
    description: name.text,
    active: (view.getUint32(0, true) & ACTIVE) !== 0,
    ...(loader === undefined ? {} : { loader }),
  };
}

/** A partition, then a file. Every other path is undefined. */
function loaderAt(view: DataView, start: number, end: number): LoaderPath | undefined {
  const node = start + HARD_DRIVE_BYTES;
  if (node + NODE_HEAD_BYTES > end) return undefined;
  const isDrive = view.getUint8(start) === MEDIA && view.getUint8(start + 1) === HARD_DRIVE;
  const isFile = view.getUint8(node) === MEDIA && view.getUint8(node + 1) === FILE_PATH;
  if (!isDrive || !isFile || view.getUint8(start + 41) !== GUID_SIGNATURE) return undefined;
  const file = textUntilNul(
    view,
    node + NODE_HEAD_BYTES,
    Math.min(node + view.getUint16(node + 2, true), end),
  );
  const [first, sectors] = [view.getBigUint64(start + 8, true), view.getBigUint64(start + 16, true)];
  const areSafe = first <= BigInt(Number.MAX_SAFE_INTEGER) && sectors <= BigInt(Number.MAX_SAFE_INTEGER);
  if (file === undefined || !areSafe) return undefined;
  const id = guidFromBytes(new Uint8Array(view.buffer, view.byteOffset + start + 24, 16));
  const number = view.getUint32(start + 4, true);
  return {
    partition: { number, firstSector: Number(first), sectors: Number(sectors), id },
    file: file.text,
  };
}

function setHead(
  view: DataView,
  at: number,
  node: { readonly subtype: number; readonly length: number },
): void {
  view.setUint8(at, MEDIA);
  view.setUint8(at + 1, node.subtype);
  view.setUint16(at + 2, node.length, true);
}

/** Returns an active entry with room for its path. */
export function activeOption(
  description: string,
  pathBytes: number,
): { readonly bytes: Uint8Array; readonly view: DataView; readonly pathAt: number } {
  const name = utf16(description);
  const pathAt = DESCRIPTION_OFFSET + name.length;
  const bytes = new Uint8Array(pathAt + pathBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, ACTIVE, true);
  view.setUint16(4, pathBytes, true);
  bytes.set(name, DESCRIPTION_OFFSET);
  return { bytes, view, pathAt };
}

/** With its NUL. */
function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length + 1) * 2);
  const view = new DataView(bytes.buffer);
  for (let unit = 0; unit < text.length; unit += 1) view.setUint16(unit * 2, text.charCodeAt(unit), true);
  return bytes;
}

function textUntilNul(
  view: DataView,
  start: number,
  end: number,
): { readonly text: string; readonly end: number } | undefined {
  let text = '';
  for (let at = start; at + 2 <= end; at += 2) {
    const unit = view.getUint16(at, true);
    if (unit === 0) return { text, end: at + 2 };
    text += String.fromCharCode(unit);
  }
  return undefined;
}
