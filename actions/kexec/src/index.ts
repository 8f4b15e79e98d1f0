export { kexecAction } from './kexec.ts';
