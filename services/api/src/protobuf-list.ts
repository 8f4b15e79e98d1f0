/** A list as protobuf. Its length comes before its items, so that all of it is in memory before the first byte is sent. */
import { encodeListItem, encodeListOf } from '@tinkerbell/kube-protobuf';
import { WholeResponse } from '@tinkerbell/platform-contract';
import { PROTOBUF, type AcceptedForm } from './accepted-form.ts';
import { ApiError } from './api-error.ts';
import type { ListShape, Pieces } from './list-answer.ts';
import type { Piece } from './list-page.ts';

/** As much as a list of JSON may have that is not sent piece by piece. Clients in Go take JSON too. */
const BYTES_MAX = 2 * 1024 * 1024;
/** For a client that takes nothing else. */
const ONLY_BYTES_MAX = 16 * 1024 * 1024;

/** Undefined for a list that is better sent as JSON. Rejects with an ApiError of reason NotAcceptable. */
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
        `the list is longer than ${bytesMax} bytes of protobuf: set limit, or accept application/json`,
      );
    items.push(...encoded);
    sized(length);
    last = piece;
  }
  const content = encodeListOf(head, metadata(last?.revision ?? 0, last?.next), items);
  return new WholeResponse(content, { headers: { 'content-type': PROTOBUF } });
}
