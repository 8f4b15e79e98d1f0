export { burninAction } from './burnin.ts';
