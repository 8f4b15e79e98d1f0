import {
  ActionError,
  DroppedError,
  getFollowing,
  refusedBy,
  releaseChunk,
  withRetries,
  type RangeRequest,
} from '@tinkerbell/action-kit';

/**
 * Fills `target` with the part of a file that begins at `offset`. What arrived before a break is kept, so that no byte is fetched
 * twice.
 *
 * @throws ActionError when the server refuses or does not answer.
 */
export async function fetchPart(
  request: RangeRequest,
  { offset, target }: { readonly offset: number; readonly target: Uint8Array },
): Promise<void> {
  let done = 0;
  await withRetries(request, async () => {
    const first = offset + done;
    const headers = { Range: `bytes=${first}-${offset + target.length - 1}` };
    const { response, url } = await getFollowing(request.url, headers, request.signal);
    const status = response.statusCode ?? 0;
    const start = Number(/^bytes (\d{1,15})-/.exec(response.headers['content-range'] ?? '')?.[1]);
    if (status !== 206 || start !== first) {
      response.destroy();
      if (status >= 400) throw refusedBy(url, status);
      throw new ActionError(
        `${url.href} does not send ranges: it answered ${status} for byte ${first}. Use a registry that does`,
      );
    }
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (done + chunk.length > target.length)
        throw new ActionError(`${url.href} sent more than the requested range`);
      target.set(chunk, done);
      done += chunk.length;
      releaseChunk(chunk);
    }
    if (done < target.length)
      throw new DroppedError(`the server ended after ${done} of ${target.length} bytes`);
  });
}
