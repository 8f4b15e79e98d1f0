export { oci2diskAction } from './oci2disk.ts';
