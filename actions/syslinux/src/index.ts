export { syslinuxAction } from './syslinux.ts';
