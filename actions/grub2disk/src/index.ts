export { grub2diskAction } from './grub2disk.ts';
