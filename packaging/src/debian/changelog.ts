import type { BuildPlace } from '../build-place.ts';

/** Debian policy 4.4. */
export function changelog(
  name: string,
  { version, maintainer, modifiedSeconds }: Pick<BuildPlace, 'version' | 'maintainer' | 'modifiedSeconds'>,
): string {
  const date = new Date(modifiedSeconds * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) unstable; urgency=medium

  * See the history of the repository.

 -- ${maintainer}  ${date}
`;
}
