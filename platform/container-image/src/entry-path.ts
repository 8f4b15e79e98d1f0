/** Names of entries as lists of their parts, all byte strings. */
import { layerFailure } from './layer-failure.ts';

/** PATH_MAX and NAME_MAX of Linux. */
const NAME_MAX_BYTES = 4096;
const PART_MAX_BYTES = 255;
const DEPTH_MAX = 256;

/** The parts of a name below the root. Throws a PlatformError for a name that leads elsewhere. */
export function entryParts(name: string): readonly string[] {
  if (name.length > NAME_MAX_BYTES)
    throw layerFailure('damaged', name, `longer than ${NAME_MAX_BYTES} bytes`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw layerFailure('damaged', name, 'a name must not contain ".."');
  if (name.includes('\0')) throw layerFailure('damaged', name, 'a name must not contain a zero byte');
  if (parts.length > DEPTH_MAX) throw layerFailure('damaged', name, `deeper than ${DEPTH_MAX} directories`);
  if (parts.some((part) => part.length > PART_MAX_BYTES))
    throw layerFailure('damaged', name, `a part is longer than ${PART_MAX_BYTES} bytes`);
  return parts;
}
