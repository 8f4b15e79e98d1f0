export { archive2diskAction } from './archive2disk.ts';
