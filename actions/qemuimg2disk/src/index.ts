export { qemuimg2diskAction } from './qemuimg2disk.ts';
