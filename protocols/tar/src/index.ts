export { readTar, type TarEntry } from './read-tar.ts';
export { BLOCK_BYTES, decodeHeader, type TarHeader, type TarType } from './header.ts';
export { encodeHeader, paddingBytes, type WrittenHeader } from './encode-header.ts';
export { TarError } from './tar-error.ts';
