export { luksAction } from './luks.ts';
