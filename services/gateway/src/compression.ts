/** Compresses responses for clients that accept it. */
import { constants, createGzip } from 'node:zlib';
import type { Transform } from 'node:stream';
import { oneValue, type HeaderFields } from './header-fields.ts';

const SMALL_BYTES = 1024;
const TEXT =
  /^(text\/|application\/(json|javascript|xml|yaml|problem\+json|openapi|vnd\.[\w.+-]*json)|image\/svg)/;

/** Returns the header fields of the compressed response, or undefined when it stays unchanged. */
export function compressedFields(
  status: number,
  fields: HeaderFields,
  acceptEncoding: string | undefined,
): HeaderFields | undefined {
  if (status !== 200 || !takesGzip(acceptEncoding) || !isWorthIt(fields)) return undefined;
  const { 'content-length': _, 'accept-ranges': __, etag, vary, ...others } = fields;
  const tag = oneValue(etag);
  return {
    ...others,
    'content-encoding': 'gzip',
    vary: vary === undefined ? 'accept-encoding' : `${oneValue(vary)}, accept-encoding`,
    // The bytes differ, but their meaning is the same.
    ...(tag === undefined ? {} : { etag: tag.startsWith('W/') ? tag : `W/${tag}` }),
  };
}

function takesGzip(acceptEncoding: string | undefined): boolean {
  return (acceptEncoding ?? '')
    .split(',')
    .some((one) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$)[\d.]+\s*)?$/.test(one));
}

function isWorthIt(fields: HeaderFields): boolean {
  const isCoded = fields['content-encoding'] !== undefined || fields['content-range'] !== undefined;
  const isFixed = /no-transform/.test(oneValue(fields['cache-control']) ?? '');
  const length = Number(oneValue(fields['content-length']) ?? SMALL_BYTES);
  return !isCoded && !isFixed && length >= SMALL_BYTES && TEXT.test(oneValue(fields['content-type']) ?? '');
}

/** Flushed with every chunk, because a watch must not wait for its next line. */
export function gzipStage(): Transform {
  return createGzip({ flush: constants.Z_SYNC_FLUSH, level: 4 });
}
