export { verifyAction } from './verify.ts';
