/** For tests and benchmarks: the packages of this checkout, and where they run. */
export {
  bootedDebian,
  CLIENT_MAC,
  missingForDebian,
  SERVER_ADDRESS,
  type BootedDebian,
} from './booted-debian.ts';
export { builtPackages, cacheDirectory } from './built-packages.ts';
export { startImageContainer, USER } from './image-container.ts';
export { nextVersion } from './next-version.ts';
