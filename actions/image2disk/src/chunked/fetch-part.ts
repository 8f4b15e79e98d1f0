import {
  ActionError,
  DroppedError,
  getFollowing,
  refusedBy,
  withRetries,
  type RangeRequest,
} from '@tinkerbell/action-kit';

export interface Part {
  readonly offset: number;
  readonly length: number;
}

/**
 * Returns a part of a file. What arrived before a break is kept, so that no byte is fetched twice.
 *
 * @throws ActionError when the server refuses or does not answer.
 */
export async function fetchPart(request: RangeRequest, { offset, length }: Part): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  await withRetries(request, async () => {
    const first = offset + done;
    const headers = { Range: `bytes=${first}-${offset + length - 1}` };
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
      if (done + chunk.length > length)
        throw new ActionError(`${url.href} sent more than the requested range`);
      done += chunk.copy(bytes, done);
    }
    if (done < length) throw new DroppedError(`the server ended after ${done} of ${length} bytes`);
  });
  return bytes;
}
