import { hasProtobuf } from '@tinkerbell/kube-protobuf';
import { apiVersionOf, type Kind } from '@tinkerbell/resources';

/** Each request asks about its kind more than once. */
const known = new WeakMap<Kind, boolean>();

/** Returns true for the kinds of Kubernetes itself, which clients also read and write as protobuf. */
export function isInProtobuf(kind: Kind): boolean {
  let found = known.get(kind);
  if (found === undefined) known.set(kind, (found = hasProtobuf(apiVersionOf(kind), kind.kind)));
  return found;
}
