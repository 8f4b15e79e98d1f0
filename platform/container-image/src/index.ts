export { applyLayer, type AppliedLayer, type Layer } from './apply-layer.ts';
export { RootedTree } from './rooted-tree.ts';
export { unpackImage, type UnpackRequest } from './unpack-image.ts';
