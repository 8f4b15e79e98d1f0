/** The user of an image, looked up as Docker does: in the passwd and group files of the image itself. */
import { PlatformError } from '@tinkerbell/platform-contract';

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly additionalGids: readonly number[];
  readonly home: string;
}

const ID_MAX = 2 ** 31 - 1;
const GROUPS_MAX = 1024;

/** `text` is `user`, `uid`, `user:group` or empty for root. Throws a PlatformError for a name that the image does not have. */
export function containerUser(
  text: string,
  files: { readonly passwd: string; readonly group: string },
): ContainerUser {
  const [name = '', groupName] = text.split(':');
  const user = name === '' ? '0' : name;
  const row = rowsOf(files.passwd).find(([own, , uid]) => own === user || uid === user);
  const uid = row === undefined ? numeric(user) : numeric(row[2] ?? '');
  if (uid === undefined) throw unknown('user', user, 'passwd');
  const home = row?.[5] ?? '';
  return { uid, ...groupsOf(row, groupName ?? '', files.group), home: home === '' ? '/' : home };
}

type Row = readonly string[];

function groupsOf(
  user: Row | undefined,
  wanted: string,
  file: string,
): Pick<ContainerUser, 'gid' | 'additionalGids'> {
  const groups = rowsOf(file);
  if (wanted !== '') {
    const found = groups.find(([own, , gid]) => own === wanted || gid === wanted);
    const gid = numeric(found?.[2] ?? wanted);
    if (gid === undefined) throw unknown('group', wanted, 'group');
    return { gid, additionalGids: [] };
  }
  if (user === undefined) return { gid: 0, additionalGids: [] };
  const member = groups.filter(([, , , members]) => members?.split(',').includes(user[0] ?? ''));
  return {
    gid: numeric(user[3] ?? '') ?? 0,
    additionalGids: member.flatMap(([, , gid]) => numeric(gid ?? '') ?? []).slice(0, GROUPS_MAX),
  };
}

function rowsOf(file: string): readonly (readonly string[])[] {
  return file
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(':'));
}

function numeric(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= ID_MAX ? Number(text) : undefined;
}

function unknown(kind: string, name: string, file: string): PlatformError {
  const shown = JSON.stringify(name.slice(0, 100));
  return new PlatformError(
    'not-found',
    `the image runs as the ${kind} ${shown}, which is not in its /etc/${file}`,
  );
}
