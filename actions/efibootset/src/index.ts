export { efibootsetAction } from './efibootset.ts';
