export { buildPackages } from './build-packages.ts';
export type { BuildPlace } from './build-place.ts';
