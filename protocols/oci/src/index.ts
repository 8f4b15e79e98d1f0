export { algorithmOf, hexOf, isDigest, readDigest, type Digest, type DigestAlgorithm } from './digest.ts';
export {
  formatReference,
  isRepository,
  isTag,
  parseReference,
  repositoryAt,
  type ImageReference,
} from './reference.ts';
export {
  isIndexType,
  layerCompression,
  manifestMediaTypes,
  mediaTypes,
  type LayerCompression,
} from './media-type.ts';
export {
  MANIFEST_MAX_BYTES,
  readDescriptor,
  readManifest,
  type Descriptor,
  type ImageIndex,
  type ImageManifest,
  type Manifest,
} from './manifest.ts';
export { choosePlatform, linuxPlatform, type Platform } from './platform.ts';
export {
  encodeImageConfig,
  encodeImageIndex,
  encodeImageManifest,
  type BlobDescriptor,
  type NewImageConfig,
} from './encode-image.ts';
export { CONFIG_MAX_BYTES, readImageConfig, type ImageConfig } from './image-config.ts';
export {
  decodeErrors,
  distributionStatus,
  encodeErrors,
  type DistributionError,
  type DistributionErrorCode,
} from './distribution-error.ts';
export { parseChallenges, type Challenge } from './challenge.ts';
export { listAt, parseJson, sizeAt } from './json-fields.ts';
export { readToken, tokenQuery } from './token.ts';
export { OciError } from './oci-error.ts';
