export { eraseAction } from './erase.ts';
