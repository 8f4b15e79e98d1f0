/** Whiteouts: OCI image specification v1.1, "Whiteouts". They hide entries of lower layers, and nothing of their own layer. */
import { layerFailure } from './layer-failure.ts';
import type { Place, RootedTree } from './rooted-tree.ts';
import type { TouchedPlaces } from './touched-places.ts';

const PREFIX = '.wh.';
/** Of AUFS, and without a meaning for others, except the opaque one. */
const META_PREFIX = '.wh..wh.';
const OPAQUE = '.wh..wh..opq';

export interface WhiteoutTarget {
  readonly tree: RootedTree;
  readonly touched: TouchedPlaces;
  /** Called before a directory changes. */
  readonly keepTime: (place: Place) => void;
}

export function isWhiteout(parts: readonly string[]): boolean {
  return parts.at(-1)?.startsWith(PREFIX) === true;
}

export function applyWhiteout(parts: readonly string[], target: WhiteoutTarget): void {
  const last = parts.at(-1) ?? '';
  if (last.startsWith(META_PREFIX) && last !== OPAQUE) return;
  const hidden = last.slice(PREFIX.length);
  if (['', '.', '..'].includes(hidden))
    throw layerFailure('damaged', parts.join('/'), 'the whiteout names nothing');
  const place = target.tree.place(parts, 'decline');
  if (place === undefined) return;
  const directory = place.slice(0, -1);
  if (target.tree.stat(directory)?.isDirectory() === true) target.keepTime(directory);
  if (last === OPAQUE) hideChildren(directory, target);
  else hide([...directory, hidden], target);
}

function hide(place: Place, target: WhiteoutTarget): void {
  const stats = target.tree.stat(place);
  if (stats === undefined) return;
  if (!target.touched.has(place)) target.tree.remove(place);
  else if (stats.isDirectory()) hideChildren(place, target);
}

function hideChildren(directory: Place, target: WhiteoutTarget): void {
  if (target.tree.stat(directory)?.isDirectory() !== true) return;
  for (const child of target.tree.children(directory)) hide([...directory, child], target);
}
