export { templatePlatform } from './node-template-platform.ts';
