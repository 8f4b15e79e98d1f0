export { readTar, type TarEntry } from './read-tar.ts';
export { decodeHeader, type TarHeader, type TarType } from './header.ts';
export { TarError } from './tar-error.ts';
