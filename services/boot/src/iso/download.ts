import {
  errorOf,
  messageOf,
  PlatformError,
  type Clock,
  type Files,
  type HttpClient,
  type HttpClientResponse,
  type Log,
  type OwnedFileWriter,
} from '@tinkerbell/platform-contract';
import type { IsoConfig } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import type { IsoCache } from './cache.ts';
import type { IsoImage } from './image.ts';

export interface DownloadDeps {
  readonly clock: Clock;
  readonly files: Files;
  readonly log: Log;
  readonly httpClient: HttpClient;
  readonly cache: IsoCache;
  readonly metrics: BootMetrics;
  readonly config: IsoConfig;
}

/**
 * Starts to download an image into the cache. The promise inside resolves when the download has ended, successful or not. Rejects
 * when the download cannot start: no room, no disk. An interrupted download is not kept, and its readers see the failure.
 */
export async function downloadImage(
  deps: DownloadDeps,
  image: IsoImage,
  { body }: HttpClientResponse,
): Promise<{ readonly ended: Promise<void> }> {
  const { cache } = deps;
  try {
    await cache.reserve(image.fileName, image.sizeBytes);
    const writer = await cache.directory.create(image.fileName);
    return { ended: bring(deps, image, { body, writer }) };
  } catch (error) {
    await cache.remove(image.fileName);
    await body.cancel();
    throw error;
  }
}

interface Transfer {
  readonly body: ReadableStream<Uint8Array>;
  readonly writer: OwnedFileWriter;
}

async function bring(
  { cache, clock, metrics, log }: DownloadDeps,
  image: IsoImage,
  { body, writer }: Transfer,
): Promise<void> {
  const startedMs = clock.monotonicMs();
  const fields = { from: image.from, bytes: image.sizeBytes };
  try {
    await copy(image, { body, writer });
    await cache.keep(image.fileName);
    image.index.end();
    metrics.isoSourceRequests.add({ outcome: 'fetched' });
    log.info('ISO image fetched', { ...fields, milliseconds: Math.round(clock.monotonicMs() - startedMs) });
  } catch (error) {
    // Remove it before the failure is reported, because the next request creates a file of the same name.
    await cache.remove(image.fileName).catch(() => undefined);
    image.index.fail(errorOf(error));
    metrics.isoSourceRequests.add({ outcome: 'failed' });
    log.warn('ISO image download broke off', { ...fields, error: messageOf(error) });
  }
}

async function copy({ from, sizeBytes, index }: IsoImage, { body, writer }: Transfer): Promise<void> {
  let received = 0;
  try {
    for await (const chunk of body) {
      received += chunk.length;
      if (received > sizeBytes) break;
      await writer.write(chunk);
      index.push(chunk);
    }
  } finally {
    await writer.close();
  }
  if (received !== sizeBytes)
    throw new PlatformError('unavailable', `${from} sent ${received} bytes and had said ${sizeBytes}`);
}
