export { buildPackages, type PackagesRequest } from './build-packages.ts';
