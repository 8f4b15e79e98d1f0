const WEB_ASSEMBLY_PAGE_BYTES = 64 * 1024;

/**
 * Node has it, although its types declare it only for browsers. A Memory is page-aligned, and a Buffer is
 * not.
 */
declare const WebAssembly: {
  readonly Memory: {
    new (size: { readonly initial: number; readonly maximum: number; readonly shared: true }): {
      readonly buffer: SharedArrayBuffer;
    };
    new (size: { readonly initial: number }): { readonly buffer: ArrayBuffer };
  };
};

/** Returns memory for direct reads and writes, which must start at a page. The length is a multiple of 64 KiB. */
export function alignedBuffer(lengthBytes: number): Buffer {
  const pages = Math.ceil(lengthBytes / WEB_ASSEMBLY_PAGE_BYTES);
  return Buffer.from(new WebAssembly.Memory({ initial: pages }).buffer, 0, lengthBytes);
}

/** Like `alignedBuffer`, in memory that threads can share. It costs only what is used of it. */
export function sharedAlignedBuffer(lengthBytes: number): Buffer<SharedArrayBuffer> {
  const pages = Math.ceil(lengthBytes / WEB_ASSEMBLY_PAGE_BYTES);
  const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  return Buffer.from(buffer, 0, lengthBytes);
}
