export { readTar, type TarEntry } from './read-tar.ts';
export { BLOCK_BYTES, decodeHeader, type TarHeader, type TarType } from './header.ts';
export { TarError } from './tar-error.ts';
