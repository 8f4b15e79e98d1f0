export { mdraidAction } from './mdraid.ts';
