export { rootioAction } from './rootio.ts';
