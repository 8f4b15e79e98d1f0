/** Where the parts of an arm64 kernel go in memory, for kernels that load only segments (kexec_load(2)). Linux, Documentation/arch/arm64/booting.rst. */
import { withChosen } from './device-tree.ts';

/** Physical addresses; `to` is not part of it. */
export interface MemoryRange {
  readonly from: number;
  readonly to: number;
}

export interface Segment {
  readonly bytes: Uint8Array;
  readonly at: number;
  /** Whole pages. */
  readonly size: number;
}

export interface SegmentPlan {
  readonly entry: number;
  readonly segments: readonly Segment[];
}

export interface Arm64Kernel {
  readonly kernel: Uint8Array;
  readonly initramfs: Uint8Array | undefined;
  readonly commandLine: string;
  /** That of the running kernel, which knows the tables of the firmware. */
  readonly deviceTree: Uint8Array;
}

export class SegmentError extends Error {
  override readonly name = 'SegmentError';
}

const PAGE = 4096;
const BASE_ALIGNMENT = 2 * 1024 * 1024;
const MAGIC_AT = 56;
const MAGIC = 0x644d5241;

/** Returns the ranges of /proc/iomem that hold memory and nothing that must stay. */
export function freeMemory(iomem: string): readonly MemoryRange[] {
  const free: MemoryRange[] = [];
  for (const line of iomem.split('\n')) {
    const used = rangeIn(line);
    if (used === undefined) continue;
    if (used.isWhole) free.push(...(used.name === 'System RAM' ? [used] : []));
    else free.push(...without(free.pop(), used));
  }
  return free.filter(({ from, to }) => to > from).map(({ from, to }) => ({ from, to }));
}

interface NamedRange extends MemoryRange {
  readonly name: string;
  /** False: it is a part of the range before. */
  readonly isWhole: boolean;
}

function rangeIn(line: string): NamedRange | undefined {
  const found = /^( *)([\da-f]+)-([\da-f]+) : (.*)$/.exec(line);
  if (found === null) return undefined;
  const [, indent, from = '', last = '', name = ''] = found;
  return { from: Number.parseInt(from, 16), to: Number.parseInt(last, 16) + 1, name, isWhole: indent === '' };
}

/** A part of a device, or of what is used already, changes nothing. */
function without(around: MemoryRange | undefined, used: MemoryRange): readonly MemoryRange[] {
  if (around === undefined) return [];
  if (used.from < around.from || used.to > around.to) return [around];
  return [
    { from: around.from, to: used.from },
    { from: used.to, to: around.to },
  ];
}

/** Throws a SegmentError or a DeviceTreeError. */
export function arm64Segments(
  { kernel, initramfs, commandLine, deviceTree }: Arm64Kernel,
  free: readonly MemoryRange[],
): SegmentPlan {
  const { textOffset, imageBytes } = imageHeader(kernel);
  const kernelBytes = pages(textOffset + Math.max(imageBytes, kernel.length));
  const initramfsBytes = pages(initramfs?.length ?? 0);
  const needed = kernelBytes + initramfsBytes + BASE_ALIGNMENT + PAGE;
  const base = placeFor(needed, free);
  const initramfsAt = base + kernelBytes;
  // A device tree must not cross a border of 2 MiB.
  const treeAt = upTo(initramfsAt + initramfsBytes, BASE_ALIGNMENT / 2);
  const tree = withChosen(deviceTree, {
    bootargs: Buffer.from(`${commandLine}\0`),
    'linux,initrd-start': initramfs === undefined ? undefined : cells(initramfsAt),
    'linux,initrd-end': initramfs === undefined ? undefined : cells(initramfsAt + initramfs.length),
    'kaslr-seed': undefined,
    'rng-seed': undefined,
  });
  if (pages(tree.length) > BASE_ALIGNMENT / 2 - PAGE)
    throw new SegmentError(`the device tree of this machine is too large: ${tree.length} bytes`);
  const startAt = treeAt + pages(tree.length);
  const start = startCode(base + textOffset, treeAt);
  return {
    entry: startAt,
    segments: [
      { bytes: kernel, at: base + textOffset, size: kernelBytes - textOffset },
      ...(initramfs === undefined ? [] : [{ bytes: initramfs, at: initramfsAt, size: initramfsBytes }]),
      { bytes: tree, at: treeAt, size: pages(tree.length) },
      { bytes: start, at: startAt, size: PAGE },
    ],
  };
}

function imageHeader(kernel: Uint8Array): { readonly textOffset: number; readonly imageBytes: number } {
  const image = Buffer.from(kernel.buffer, kernel.byteOffset, kernel.byteLength);
  if (image.length < MAGIC_AT + 4 || image.readUInt32LE(MAGIC_AT) !== MAGIC)
    throw new SegmentError('the kernel is not an arm64 Image; use one that is not compressed');
  const [textOffset, imageBytes] = [Number(image.readBigUInt64LE(8)), Number(image.readBigUInt64LE(16))];
  if (textOffset % PAGE !== 0 || textOffset >= BASE_ALIGNMENT || imageBytes > Number.MAX_SAFE_INTEGER / 2)
    throw new SegmentError(
      `the header of the kernel is wrong: text offset ${textOffset}, ${imageBytes} bytes`,
    );
  return { textOffset, imageBytes };
}

function placeFor(bytes: number, free: readonly MemoryRange[]): number {
  const fitting = free
    .map(({ from, to }) => ({ base: upTo(from, BASE_ALIGNMENT), to }))
    .filter(({ base, to }) => base + bytes <= to);
  const [first] = fitting;
  if (first === undefined)
    throw new SegmentError(
      `no free range of memory has ${Math.ceil(bytes / 1024 / 1024)} MiB for the kernel and its initramfs`,
    );
  return first.base;
}

/**
 * A64 code that jumps to the kernel with the address of the device tree in x0 and zeros in x1 to x3: two literals follow six
 * instructions.
 */
function startCode(kernelAt: number, treeAt: number): Uint8Array {
  const code = Buffer.alloc(40);
  const instructions = [
    0x580000d1, // ldr x17, 24
    0x580000e0, // ldr x0, 32
    0xaa1f03e1, // mov x1, xzr
    0xaa1f03e2, // mov x2, xzr
    0xaa1f03e3, // mov x3, xzr
    0xd61f0220, // br x17
  ];
  for (const [index, instruction] of instructions.entries()) code.writeUInt32LE(instruction, index * 4);
  code.writeBigUInt64LE(BigInt(kernelAt), 24);
  code.writeBigUInt64LE(BigInt(treeAt), 32);
  return code;
}

function cells(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function pages(bytes: number): number {
  return upTo(bytes, PAGE);
}

function upTo(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
