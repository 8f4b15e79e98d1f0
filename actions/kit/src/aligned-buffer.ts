const WEB_ASSEMBLY_PAGE_BYTES = 64 * 1024;

/**
 * Node has it, although its types declare it only for browsers. A Memory is page-aligned, and a Buffer is
 * not.
 */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
};

/** Returns memory for direct reads and writes, which must start at a page. The length is a multiple of 64 KiB. */
export function alignedBuffer(lengthBytes: number): Buffer {
  const pages = Math.ceil(lengthBytes / WEB_ASSEMBLY_PAGE_BYTES);
  return Buffer.from(new WebAssembly.Memory({ initial: pages }).buffer, 0, lengthBytes);
}
