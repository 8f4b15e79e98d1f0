/** The calls of the C library that a layer needs and Node does not have. They follow no symbolic link. */
import { createRequire } from 'node:module';
import type * as Ffi from 'node:ffi';
import { PlatformError } from '@tinkerbell/platform-contract';

const SIGNATURES = {
  lsetxattr: { return: 'i32', arguments: ['buffer', 'buffer', 'buffer', 'u64', 'i32'] },
  mknod: { return: 'i32', arguments: ['buffer', 'u32', 'u64'] },
  __errno_location: { return: 'pointer', arguments: [] },
} as const;

const ENOTSUP = 95;
const FILE_TYPES = { fifo: 0o010000, 'character-device': 0o020000, 'block-device': 0o060000 } as const;

function openLibrary() {
  try {
    // Required rather than imported, because a Node without it must still run everything else.
    const ffi: typeof Ffi = createRequire(import.meta.url)('node:ffi');
    return { functions: ffi.dlopen(null, SIGNATURES).functions, readInt32: ffi.getInt32 };
  } catch (cause) {
    throw new PlatformError('unavailable', 'this Node has no node:ffi, which unpacking images needs', {
      cause,
    });
  }
}

let opened: ReturnType<typeof openLibrary> | undefined;

/** Sets an extended attribute. Returns false if the file system does not support it. Name and value are byte strings. */
export function setAttribute(path: Buffer, name: string, value: string): boolean {
  opened ??= openLibrary();
  const bytes = Buffer.from(value, 'latin1');
  // A buffer of no bytes has no address.
  const data = bytes.length === 0 ? Buffer.alloc(1) : bytes;
  const result = opened.functions.lsetxattr(
    terminated(path),
    terminated(Buffer.from(name, 'latin1')),
    data,
    BigInt(bytes.length),
    0,
  );
  if (result === 0) return true;
  const code = opened.readInt32(opened.functions.__errno_location());
  if (code === ENOTSUP) return false;
  throw new PlatformError(
    'unavailable',
    `cannot set the attribute ${name} of ${path.toString()}: errno ${code}`,
  );
}

export interface SpecialFile {
  readonly type: keyof typeof FILE_TYPES;
  readonly major: number;
  readonly minor: number;
}

/** Creates a device or a pipe with mode 0600. */
export function makeSpecialFile(path: Buffer, { type, major, minor }: SpecialFile): void {
  opened ??= openLibrary();
  const device = deviceNumber(BigInt(major), BigInt(minor));
  if (opened.functions.mknod(terminated(path), FILE_TYPES[type] | 0o600, device) === 0) return;
  const code = opened.readInt32(opened.functions.__errno_location());
  throw new PlatformError('unavailable', `cannot create the ${type} ${path.toString()}: errno ${code}`);
}

/** As glibc's makedev(3). */
function deviceNumber(major: bigint, minor: bigint): bigint {
  return (
    ((major & 0xfffff000n) << 32n) |
    ((major & 0xfffn) << 8n) |
    ((minor & 0xffffff00n) << 12n) |
    (minor & 0xffn)
  );
}

function terminated(text: Buffer): Buffer {
  return Buffer.concat([text, Buffer.alloc(1)]);
}
