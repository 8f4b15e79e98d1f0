export { readAttributes } from './hardware-attributes.ts';
export { firstMac } from './network-attributes.ts';
