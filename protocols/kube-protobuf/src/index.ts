export {
  decodeKubernetes,
  encodeKubernetes,
  encodeListItem,
  encodeListOf,
  encodeWatchEvent,
  isKubernetesProtobuf,
  type DecodedObject,
} from './envelope.ts';
export { hasProtobuf } from './messages.ts';
export type { ProtobufLimits } from './decode-message.ts';
