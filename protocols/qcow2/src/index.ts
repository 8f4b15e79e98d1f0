export { Qcow2Error } from './qcow2-error.ts';
export { isQcow2, type Qcow2Header } from './header.ts';
export {
  openQcow2,
  type Decoder,
  type Decoders,
  type ImageFile,
  type ImagePart,
  type Qcow2Image,
} from './read-image.ts';
