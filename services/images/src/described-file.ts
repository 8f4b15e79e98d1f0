import { sizeAndTimeTag, type DescribedFile } from '@tinkerbell/engine-file-answers';
import type { FileInfo } from '@tinkerbell/platform-contract';
import { contentTypeOf } from './content-type.ts';
import type { Encoding } from './encoded-variant.ts';

interface Description {
  readonly path: string;
  readonly encoding: Encoding['name'] | undefined;
  readonly file: DescribedFile;
}

/** Describes a file once for as long as it is kept in memory, because a small one costs less to send than to describe. */
export class DescribedFiles {
  readonly #last = new WeakMap<FileInfo, Description>();

  of(path: string, info: FileInfo, encoding?: Encoding['name']): DescribedFile {
    const last = this.#last.get(info);
    if (last?.path === path && last.encoding === encoding) return last.file;
    const file = describedFile(path, info, encoding);
    this.#last.set(info, { path, encoding, file });
    return file;
  }
}

/** Describes the file for a path. `encoding` is that of a compressed form of it, which has its own ETag. */
function describedFile(
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
