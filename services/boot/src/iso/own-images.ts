import { errorOf } from '@tinkerbell/platform-contract';
import { encodeUtf8 } from '@tinkerbell/wire';
import type { BootDeps, IsoConfig } from '../config.ts';
import type { IsoImage } from './image.ts';
import { IsoIndex } from './magic-index.ts';

/** One image for each architecture. */
const IMAGES_MAX = 8;

/**
 * Returns the server's own image of an architecture, `hook-<architecture>.iso` in the image directory. Returns undefined when it
 * does not exist.
 */
export function createOwnImages(
  files: BootDeps['files'],
  { ownDirectory, magic }: Pick<IsoConfig, 'ownDirectory' | 'magic'>,
): (architecture: string) => Promise<IsoImage | undefined> {
  const known = new Map<string, IsoImage>();
  return async (architecture) => {
    if (!/^[\w-]{1,32}$/.test(architecture)) return undefined;
    const fileName = `hook-${architecture}.iso`;
    const info = await files.stat(ownDirectory, fileName);
    if (info?.isFile !== true || info.sizeBytes === 0) return undefined;
    const validator = `${info.realPath} ${info.sizeBytes} ${info.modifiedMs}`;
    const found = known.get(fileName);
    if (found?.validator === validator && found.index.failure === undefined) return found;
    const { sizeBytes, realPath } = info;
    const index = new IsoIndex(encodeUtf8(magic));
    const image = {
      directory: ownDirectory,
      fileName: realPath,
      sizeBytes,
      validator,
      index,
      from: fileName,
    };
    if (known.size >= IMAGES_MAX) known.clear();
    known.set(fileName, image);
    void indexFile(files, image);
    return image;
  };
}

/** Reads the whole file once. Requests that wait for the index see a failure. */
export async function indexFile(files: Pick<BootDeps['files'], 'stream'>, image: IsoImage): Promise<void> {
  const { directory, fileName, sizeBytes, index } = image;
  try {
    let read = 0;
    for await (const chunk of files.stream(directory, fileName, { start: 0, end: sizeBytes - 1 })) {
      index.push(chunk);
      read += chunk.length;
    }
    if (read !== sizeBytes) throw new Error(`${fileName} became shorter while it was being read`);
    index.end();
  } catch (error) {
    index.fail(errorOf(error));
  }
}
