import { Type, type Static } from '../schema.ts';
import { optional } from '../schema-builders.ts';

export const OperatingSystem = Type.Object({
  distro: optional('Distribution, for example `ubuntu`.', Type.String()),
  image_tag: optional('Tag or checksum of the OS image.', Type.String()),
  os_slug: optional(
    'Full short name with version, for example `ubuntu_24_04`. For templates.',
    Type.String(),
  ),
  slug: optional('Short name of the OS, for example `ubuntu_24_04`.', Type.String()),
  version: optional('Version of the OS, for example `24.04`.', Type.String()),
});
export type OperatingSystem = Static<typeof OperatingSystem>;
