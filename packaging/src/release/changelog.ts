/** CHANGELOG.md from the subjects of commits: `area: imperative`. Pure. */

export interface Commit {
  readonly hash: string;
  readonly subject: string;
}

export interface Release {
  readonly version: string;
  /** `2026-01-31`. */
  readonly date: string;
  readonly commits: readonly Commit[];
}

export const CHANGELOG_TITLE = '# Changes\n';
const HASH_DIGITS = 8;
/** Commits without an area, at the end. */
const OTHERS = 'others';

/** Returns the section of a release: its commits by area, without merges. */
export function changelogSection({ version, date, commits }: Release): string {
  const own = commits.filter(({ subject }) => !subject.startsWith('Merge '));
  const areas = [...Map.groupBy(own, ({ subject }) => areaOf(subject))].toSorted(([one], [other]) =>
    compareAreas(one, other),
  );
  const parts = areas.map(([area, changes]) => `### ${area}\n\n${changes.map(lineOf).toSorted().join('')}`);
  const body = parts.length === 0 ? 'No changes.\n' : parts.join('\n');
  return `## ${version}, ${date}\n\n${body}`;
}

function areaOf(subject: string): string {
  return /^([^:]{1,40}): \S/.exec(subject)?.[1] ?? OTHERS;
}

function compareAreas(one: string, other: string): number {
  if (one === OTHERS || other === OTHERS) return one === OTHERS ? 1 : -1;
  return one < other ? -1 : 1;
}

function lineOf({ hash, subject }: Commit): string {
  const text = subject.replace(/^[^:]{1,40}: (?=\S)/, '');
  return `- ${text} (${hash.slice(0, HASH_DIGITS)})\n`;
}

/** Puts the section on top of the earlier ones. @throws Error when the changelog already has the version. */
export function withSection(changelog: string, version: string, section: string): string {
  if (changelog.includes(`\n## ${version}, `))
    throw new Error(`CHANGELOG.md already has version ${version}: choose the next one`);
  const earlier = changelog.startsWith(CHANGELOG_TITLE) ? changelog.slice(CHANGELOG_TITLE.length) : '';
  return `${CHANGELOG_TITLE}\n${section}${earlier}`;
}
