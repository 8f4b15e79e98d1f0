/** ReportActionStatus has the same path in the legacy and in the current protocol. The bytes of the message distinguish them. */
import { fromBinary } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ActionStatusRequestSchema, type ActionStatusRequest } from '@tinkerbell/api/agent';
import { WorkflowActionStatusSchema, type WorkflowActionStatus } from '@tinkerbell/api/legacy-agent';

export type AnyReport =
  | { readonly dialect: 'current'; readonly request: ActionStatusRequest }
  | { readonly dialect: 'legacy'; readonly request: WorkflowActionStatus };

/** Legacy: state 4, seconds 5 (numbers), message 6 (text). Current: action id 4, action name 5 (texts), state 6 (number). */
const legacyWireTypes: Readonly<Record<number, WireType>> = {
  4: WireType.Varint,
  5: WireType.Varint,
  6: WireType.LengthDelimited,
};

/** Throws when the bytes are not such a message. gRPC then answers INTERNAL. */
export function decodeReport(bytes: Uint8Array): AnyReport {
  return isLegacy(bytes)
    ? { dialect: 'legacy', request: fromBinary(WorkflowActionStatusSchema, bytes) }
    : { dialect: 'current', request: fromBinary(ActionStatusRequestSchema, bytes) };
}

/** The first distinguishing field decides. A message without any of them is current. */
function isLegacy(bytes: Uint8Array): boolean {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const legacy = legacyWireTypes[field];
    if (legacy !== undefined) return wireType === legacy;
    reader.skip(wireType, field);
  }
  return false;
}
