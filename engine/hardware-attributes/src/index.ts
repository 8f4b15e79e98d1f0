export { readAttributes } from './hardware-attributes.ts';
export { firstMac } from './network-attributes.ts';
export { linkName, listNames, readLine } from './sys-file.ts';
