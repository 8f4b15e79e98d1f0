import {
  ActionError,
  DroppedError,
  getFollowing,
  refusedBy,
  withRetries,
  type RangeRequest,
} from '@tinkerbell/action-kit';
import { releasePiece } from '@tinkerbell/platform-contract';
import { eachPiece } from './each-piece.ts';
import { DECLINED, type RangeConnections } from './range-connections.ts';

interface WantedPart {
  readonly offset: number;
  readonly target: Uint8Array;
  readonly connections: RangeConnections;
  /** Called with the number of bytes that are in `target` by now. */
  readonly filled?: ((bytes: number) => void) | undefined;
}

/**
 * Fills `target` with the part of a file that begins at `offset`. What arrived before a break is kept, so that no byte is fetched
 * twice.
 *
 * @throws ActionError when the server refuses or does not answer.
 */
export async function fetchPart(
  request: RangeRequest,
  { offset, target, connections, filled }: WantedPart,
): Promise<void> {
  let done = 0;
  await withRetries(request, async () => {
    const first = offset + done;
    const { url: start, signal } = request;
    const arrived = (count: number): void => {
      done += count;
      filled?.(done);
    };
    const end = await connections.fetch({
      url: start,
      first,
      target: target.subarray(done),
      signal,
      arrived,
    });
    if (end !== DECLINED) return;
    const headers = { Range: `bytes=${first}-${offset + target.length - 1}` };
    const { response, url } = await getFollowing(start, headers, signal);
    const status = response.statusCode ?? 0;
    const firstSent = Number(/^bytes (\d{1,15})-/.exec(response.headers['content-range'] ?? '')?.[1]);
    if (status !== 206 || firstSent !== first) {
      response.destroy();
      if (status >= 400) throw refusedBy(url, status);
      throw new ActionError(
        `${url.href} does not send ranges: it answered ${status} for byte ${first}. Use a registry that does`,
      );
    }
    await eachPiece(response, (piece) => {
      if (done + piece.length > target.length)
        throw new ActionError(`${url.href} sent more than the requested range`);
      target.set(piece, done);
      arrived(piece.length);
      releasePiece(piece);
    });
    if (done < target.length)
      throw new DroppedError(`the server ended after ${done} of ${target.length} bytes`);
  });
}
