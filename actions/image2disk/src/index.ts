export { image2diskAction } from './image2disk.ts';
