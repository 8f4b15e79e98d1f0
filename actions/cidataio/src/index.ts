export { cidataioAction } from './cidataio.ts';
