import type { Hardware } from '../kinds.ts';

/** Returns the MACs of the network interfaces, as the Hardware writes them. */
export function macsOf({ spec }: Hardware): readonly string[] {
  return (spec?.interfaces ?? []).flatMap(({ dhcp }) => dhcp?.mac ?? []);
}
