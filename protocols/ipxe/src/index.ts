export {
  continued,
  line,
  problemOf,
  renderScript,
  VALUE_CHARACTERS_MAX,
  word,
  words,
  type RenderedScript,
  type ScriptLine,
  type ScriptProblem,
  type ScriptValue,
} from './script.ts';
export {
  ipxeFeaturesOf,
  NO_PXEDHCP,
  type FeatureOption,
  IPXE_FEATURES,
  type IpxeFeature,
  type IpxeFeatures,
} from './features.ts';
export { PATCH_PLACEHOLDER, patchIpxeBinary, type PatchedBinary } from './patch-binary.ts';
