export { lvmAction } from './lvm.ts';
