import { ByteWriter, encodeUtf8 } from '@tinkerbell/wire';

/** The name that U-Boot's default boot order requests by TFTP, after DHCP and before anything that the reply names. */
export const U_BOOT_SCRIPT_NAME = 'boot.scr.uimg';

/**
 * The script is the same for every machine. Afterwards U-Boot requests `pxelinux.cfg/01-<MAC>`, which defines what this machine
 * boots, and continues with its next boot target when there is no such file.
 */
const SCRIPT = `echo Looking for the PXELINUX configuration of this machine...
if pxe get; then pxe boot; fi
`;

const MAGIC = 0x27051956;
const OS_LINUX = 5;
/** U-Boot checks only the type of a script. */
const ARCHITECTURE_ARM64 = 22;
const TYPE_SCRIPT = 6;
const COMPRESSION_NONE = 0;
const HEADER_BYTES = 64;
const NAME_BYTES = 32;

/** U-Boot's legacy image format (include/image.h: image_header), with the script as its only part. */
export function uBootScript(): Uint8Array {
  const text = encodeUtf8(SCRIPT);
  const data = new ByteWriter(8 + text.length);
  // The sizes of the parts, terminated by zero.
  data.uint32(text.length);
  data.uint32(0);
  data.bytes(text);
  const payload = data.finish();
  const header = writeHeader(payload, 0);
  const checked = writeHeader(payload, crc32(header));
  const image = new Uint8Array(HEADER_BYTES + payload.length);
  image.set(checked);
  image.set(payload, HEADER_BYTES);
  return image;
}

/** The header's checksum is computed with zero in its place. */
function writeHeader(payload: Uint8Array, headerChecksum: number): Uint8Array {
  const writer = new ByteWriter(HEADER_BYTES);
  writer.uint32(MAGIC);
  writer.uint32(headerChecksum);
  // Time, then load address and entry point, which a script does not use.
  writer.uint32(0);
  writer.uint32(payload.length);
  writer.uint32(0);
  writer.uint32(0);
  writer.uint32(crc32(payload));
  writer.uint8(OS_LINUX);
  writer.uint8(ARCHITECTURE_ARM64);
  writer.uint8(TYPE_SCRIPT);
  writer.uint8(COMPRESSION_NONE);
  writer.padded(encodeUtf8('Tinkerbell'), NAME_BYTES);
  return writer.finish();
}

/** CRC-32 as in zlib, bit by bit, because the data are a few hundred bytes. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb8_8320;
  }
  return ~crc >>> 0;
}
