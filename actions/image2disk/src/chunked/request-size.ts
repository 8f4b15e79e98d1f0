import { requestBytesMax } from '@tinkerbell/images';

/** A request takes about this long. Meanwhile nobody else can bring what it asks for, and a break loses a part of it. */
const REQUEST_MS = 100;

/**
 * Returns how many bytes a lane asks for at once, by what its last request brought. Over a fast link a large request saves the server
 * work. Over a slow one, agents wait for the same link, and each asks for little, so that another one may send it the rest.
 */
export function nextRequestBytes(
  { bytes, ms }: { readonly bytes: number; readonly ms: number },
  image: { readonly chunkBytes: number },
): number {
  return Math.min(Math.floor((bytes / Math.max(ms, 1)) * REQUEST_MS), requestBytesMax(image));
}
