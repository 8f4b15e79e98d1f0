/** What a CD drive says of itself and of its disc. Numbers are big-endian. Sections are those of MMC-3, or of SPC-3 where named. */
import { encodeUtf8 } from '@tinkerbell/wire';

/** INQUIRY (SPC-3, section 6.4): a CD drive with removable media. */
export function inquiry(): Uint8Array {
  const texts = encodeUtf8(['Tinkrbel', 'Virtual CD'.padEnd(16), '1'.padEnd(4)].join(''));
  return Uint8Array.of(0x05, 0x80, 0, 0x02, 31, 0, 0, 0, ...texts);
}

/** READ CAPACITY (5.16): the address of the last block, and the size of a block. */
export function capacity(blocks: number, blockBytes: number): Uint8Array {
  return Uint8Array.of(...uint32(blocks - 1), ...uint32(blockBytes));
}

/** Read error recovery (6.3.4): as the drive likes. */
const RECOVERY_PAGE = [0x01, 6, 0, 0, 0, 0, 0, 0];
/** Capabilities (6.3.11): reads CDs, and has a tray that opens and can be locked. */
const CAPABILITIES_PAGE = [0x2a, 24, 0x03, 0, 0x01, 0, 0x29, 0, ...Array<number>(18).fill(0)];
const pages: Readonly<Partial<Record<number, readonly number[]>>> = {
  0x01: RECOVERY_PAGE,
  0x2a: CAPABILITIES_PAGE,
  0x3f: [...RECOVERY_PAGE, ...CAPABILITIES_PAGE],
};
const DATA_DISC = 0x01;
const WRITE_PROTECTED = 0x80;

/** MODE SENSE (6) and (10) (SPC-3, sections 6.9 and 6.10). Undefined: it has no such page. */
export function modePages(page: number, isLong: boolean): Uint8Array | undefined {
  const found = pages[page];
  if (found === undefined) return undefined;
  if (!isLong) return Uint8Array.of(found.length + 3, DATA_DISC, WRITE_PROTECTED, 0, ...found);
  return Uint8Array.of(...uint16(found.length + 6), DATA_DISC, WRITE_PROTECTED, 0, 0, 0, 0, ...found);
}

const DATA_TRACK = 0x14;
const LEAD_OUT = 0xaa;

/** READ TOC/PMA/ATIP (5.23): one data track, in the formats 0 (tracks) and 1 (sessions). `isTime`: addresses in minutes, seconds, frames. */
export function toc(
  format: number,
  { blocks, isTime }: { readonly blocks: number; readonly isTime: boolean },
): Uint8Array | undefined {
  const address = (block: number) => (isTime ? time(block) : uint32(block));
  const track = (number: number, block: number) => [0, DATA_TRACK, number, 0, ...address(block)];
  const from = format === 0 || format === 1 ? track(1, 0) : undefined;
  if (from === undefined) return undefined;
  const entries = format === 0 ? [...from, ...track(LEAD_OUT, blocks)] : from;
  return Uint8Array.of(...uint16(entries.length + 2), 1, 1, ...entries);
}

/** Of a block (section 4.2.3.5). The first one is 2 seconds behind the begin of the disc. */
function time(block: number): readonly number[] {
  const frames = block + 150;
  return [0, Math.min(0xff, Math.floor(frames / 4500)), Math.floor(frames / 75) % 60, frames % 75];
}

const CD_ROM = 0x0008;

/** Features (5.3) by number: `current` and `persistent` in the third byte. */
const features: readonly (readonly [number: number, ...bytes: readonly number[]])[] = [
  [0x0000, 0x03, 4, ...uint16(CD_ROM), 1, 0], // profiles
  [0x0001, 0x03, 4, ...uint32(2)], // core, by ATAPI
  [0x0002, 0x03, 4, 0, 0, 0, 0], // morphing
  [0x0003, 0x03, 4, 0x29, 0, 0, 0], // removable medium: a tray that opens and can be locked
  [0x0010, 0x01, 8, ...uint32(2048), ...uint16(1), 0, 0], // readable in any order
  [0x001e, 0x03, 0], // reads CDs
  [0x0100, 0x03, 0], // power management
  [0x0105, 0x03, 0], // timeouts
];

/** GET CONFIGURATION (5.5): the features from a number on, or that one alone. */
export function configuration(first: number, isOne: boolean): Uint8Array {
  const shown = features
    .filter(([number]) => (isOne ? number === first : number >= first))
    .flatMap(([number, ...bytes]) => [...uint16(number), ...bytes]);
  return Uint8Array.of(...uint32(shown.length + 4), 0, 0, ...uint16(CD_ROM), ...shown);
}

const MEDIA = 4;
const MEDIA_CLASS = 1 << MEDIA;
const NO_EVENT_CLASS = 0x80;
const IS_PRESENT = 0x02;

/** GET EVENT STATUS NOTIFICATION (5.6): nothing has changed, and a disc is in the drive. `classes`: those that the host asks for. */
export function mediaEvents(classes: number): Uint8Array {
  if ((classes & MEDIA_CLASS) === 0) return Uint8Array.of(0, 2, NO_EVENT_CLASS, MEDIA_CLASS);
  return Uint8Array.of(0, 6, MEDIA, MEDIA_CLASS, 0, IS_PRESENT, 0, 0);
}

/** READ DISC INFORMATION (5.19): one complete session with one track, which cannot be added to. */
export function discInformation(): Uint8Array {
  const bytes = new Uint8Array(34);
  bytes.set([0, 32, 0x0e, 1, 1, 1, 1, 0x20]);
  return bytes;
}

function uint16(value: number): readonly number[] {
  return [(value >> 8) & 0xff, value & 0xff];
}

function uint32(value: number): readonly number[] {
  return [(value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}
