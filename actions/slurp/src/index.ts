export { slurpAction } from './slurp.ts';
