import { sizeAndTimeTag, type DescribedFile } from '@tinkerbell/engine-file-answers';
import type { FileInfo } from '@tinkerbell/platform-contract';
import { contentTypeOf } from './content-type.ts';
import type { Encoding } from './encoded-variant.ts';

/** Describes the file for a path. `encoding` is that of a compressed form of it, which has its own ETag. */
export function describedFile(
  path: string,
  { sizeBytes, modifiedMs }: Pick<FileInfo, 'sizeBytes' | 'modifiedMs'>,
  encoding?: Encoding['name'],
): DescribedFile {
  const plain = {
    sizeBytes,
    modifiedMs,
    etag: sizeAndTimeTag({ sizeBytes, modifiedMs }),
    contentType: contentTypeOf(path),
    headers: { vary: 'accept-encoding' },
  };
  if (encoding === undefined) return plain;
  return { ...plain, etag: plain.etag.replace(/"$/, `-${encoding}"`), contentEncoding: encoding };
}
