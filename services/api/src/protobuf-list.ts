/** A list as protobuf. Its length precedes its items, so the whole list is in memory before the first byte is sent. */
import { encodeListItem, encodeListOf } from '@tinkerbell/kube-protobuf';
import { WholeResponse } from '@tinkerbell/platform-contract';
import { PROTOBUF, type AcceptedForm } from './accepted-form.ts';
import { ApiError } from './api-error.ts';
import type { ListShape, Pieces } from './list-answer.ts';
import type { Piece } from './list-page.ts';

/** Same as for a JSON list that is not sent in pieces. Clients in Go also accept JSON. */
const BYTES_MAX = 2 * 1024 * 1024;
/** Limit for a client that accepts only protobuf. */
const ONLY_BYTES_MAX = 16 * 1024 * 1024;

/** Returns undefined for a list that should be sent as JSON. Rejects with an ApiError of reason NotAcceptable. */
export async function protobufList(
  { pieces, sized }: Pieces,
  { head, metadata }: ListShape,
  { takesJson }: Pick<AcceptedForm, 'takesJson'>,
): Promise<Response | undefined> {
  const items: Uint8Array[] = [];
  const bytesMax = takesJson ? BYTES_MAX : ONLY_BYTES_MAX;
  let bytes = 0;
  let last: Piece | undefined;
  for await (const piece of pieces) {
    const encoded = piece.items.map((item) => encodeListItem(head, item));
    const length = encoded.reduce((sum, one) => sum + one.length, 0);
    bytes += length;
    if (bytes > bytesMax && takesJson) return undefined;
    if (bytes > bytesMax)
      throw new ApiError(
        'NotAcceptable',
        `the list is longer than ${bytesMax} bytes of protobuf; set limit, or accept application/json`,
      );
    items.push(...encoded);
    sized(length);
    last = piece;
  }
  const content = encodeListOf(head, metadata(last?.revision ?? 0, last?.next), items);
  return new WholeResponse(content, { headers: { 'content-type': PROTOBUF } });
}
