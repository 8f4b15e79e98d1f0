export { decodeLoadOption, encodeLoadOption, type LoaderPath, type LoadOption } from './load-option.ts';
export {
  bootNumber,
  bootVariable,
  decodeBootOrder,
  encodeBootOrder,
  freeNumber,
  GLOBAL_VARIABLES,
  placeInOrder,
} from './boot-order.ts';
export { encodeUriOption } from './uri-option.ts';
