export { nodeTemplatePlatform } from './node-template-platform.ts';
