export { ubootenvAction } from './ubootenv.ts';
