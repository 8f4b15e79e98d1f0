import type { HttpRoute } from '@tinkerbell/platform-contract';
import type { BootConfig, BootDeps, IsoConfig } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { IsoCache } from './cache.ts';
import { createOwnImages } from './own-images.ts';
import { RemoteImages } from './remote-images.ts';
import { createIsoRoute } from './route.ts';
import { IsoTimeline } from './timeline.ts';

export interface IsoImages {
  readonly route: HttpRoute;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates the ISO images, where they are configured. @throws Error when the platform's part is missing, which is an error in the
 * composition.
 */
export function createIsoImages(
  deps: BootDeps,
  { hook, iso: config }: Pick<BootConfig, 'hook' | 'iso'>,
  metrics: BootMetrics,
): IsoImages | undefined {
  if (config === undefined) return undefined;
  const timeline = new IsoTimeline(deps, metrics);
  const remote = createLazyRemote(deps, config, metrics);
  const ownImage = createOwnImages(deps.files, config);
  const remoteImage = async (url: string) => (await remote.images()).open(url);
  return {
    route: createIsoRoute({ deps, config: { hook, iso: config }, timeline, ownImage, remoteImage }),
    start: async () => {},
    async stop() {
      timeline.stop();
      await remote.stop();
    },
  };
}

/** The cache is created when the first image of a URL is requested. When that fails, the next request tries again. */
function createLazyRemote(deps: BootDeps, config: IsoConfig, metrics: BootMetrics) {
  const { httpClient, openDirectory } = deps;
  if (httpClient === undefined || openDirectory === undefined)
    throw new Error('ISO images need an HTTP client and a directory');
  let opened: Promise<RemoteImages> | undefined;
  const open = async () => {
    const directory = await openDirectory(config.cacheDirectory);
    const cache = await IsoCache.open(directory, config.cacheBytesMax);
    return new RemoteImages({ ...deps, httpClient, cache, metrics, config });
  };
  return {
    images() {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    stop: async () => (await opened?.catch(() => undefined))?.stop(),
  };
}
