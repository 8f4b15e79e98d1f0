/** Loads the kernel that the next restart starts. */
import { fstatSync, readFileSync, readSync } from 'node:fs';
import { messageOf } from '@tinkerbell/platform-contract';
import { loadKernelFiles, loadSegments, type CallResult, type KernelFiles } from '../system-calls.ts';
import { arm64Segments, freeMemory } from './arm64-segments.ts';

const ENOSYS = 38;
const DEVICE_TREE = '/sys/firmware/fdt';

/** Debian's kernel for 64-bit ARM has no kexec_file_load. There the parts are placed in memory here. */
export function loadKernel(files: KernelFiles): CallResult {
  const loaded = loadKernelFiles(files);
  if (loaded.ok || loaded.errorNumber !== ENOSYS || process.arch !== 'arm64') return loaded;
  const { kernelDescriptor, initramfsDescriptor, commandLine } = files;
  try {
    const plan = arm64Segments(
      {
        kernel: wholeFile(kernelDescriptor),
        initramfs: initramfsDescriptor === undefined ? undefined : wholeFile(initramfsDescriptor),
        commandLine,
        deviceTree: readFileSync(DEVICE_TREE),
      },
      freeMemory(readFileSync('/proc/iomem', 'utf8')),
    );
    return loadSegments(plan);
  } catch (thrown) {
    return { ok: false, error: messageOf(thrown) };
  }
}

function wholeFile(descriptor: number): Uint8Array {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  let at = 0;
  while (at < bytes.length) {
    const length = readSync(descriptor, bytes, at, bytes.length - at, at);
    if (length === 0) return bytes.subarray(0, at);
    at += length;
  }
  return bytes;
}
