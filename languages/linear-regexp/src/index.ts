export { compileLinear, LinearRegexp } from './linear-regexp.ts';
