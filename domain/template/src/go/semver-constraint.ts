import { FunctionError } from '@tinkerbell/go-template';
import { comparePrereleases, compareVersions, parseVersion, type Version } from './semver.ts';

/** The constraint grammar of Masterminds/semver v3: `>=1.2, <2 || ~3.1`, `^1.2.3`, `1.x`, `1.2 - 1.4`. */
interface Constraint {
  readonly operator: string;
  readonly version: Version;
  /** A part is missing or is an x: everything, the minor version, or only the patch. */
  readonly dirty: boolean;
  readonly minorDirty: boolean;
  readonly patchDirty: boolean;
}

const OPERATOR = '=||!=|>|<|>=|=>|<=|=<|~|~>|\\^';
const VERSION =
  'v?([0-9|xX*]+)(\\.[0-9|xX*]+)?(\\.[0-9|xX*]+)?' +
  '(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?' +
  '(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?';
const SPACE = '[\\t\\n\\f\\r ]';
const ONE = new RegExp(`^${SPACE}*(${OPERATOR})${SPACE}*(${VERSION})${SPACE}*$`);
const RANGE = new RegExp(`${SPACE}*(${VERSION})${SPACE}+-${SPACE}+(${VERSION})${SPACE}*`, 'g');
const EACH = new RegExp(`(${OPERATOR})${SPACE}*(${VERSION})`, 'g');

/** Longer constraints are refused, because the patterns backtrack. */
const CONSTRAINT_LENGTH_MAX = 1000;

/** Returns true if a version satisfies a constraint. Throws FunctionError for a bad constraint. */
export function satisfies(constraint: string, version: () => Version): boolean {
  const alternatives = parseConstraints(constraint);
  const checked = version();
  return alternatives.some((all) => all.every((one) => check(one, checked)));
}

function parseConstraints(source: string): Constraint[][] {
  if (source.length > CONSTRAINT_LENGTH_MAX) {
    throw new FunctionError(`constraint is longer than ${CONSTRAINT_LENGTH_MAX} characters`);
  }
  const ranges = source.replace(RANGE, (_, ...groups: string[]) => `>= ${groups[0]}, <= ${groups[10]} `);
  return ranges.split('||').map((part) => {
    if (!isValid(part)) throw new FunctionError(`improper constraint: ${part}`);
    return (part.match(EACH) ?? [part]).map(parseConstraint);
  });
}

const FIRST = new RegExp(`^${SPACE}*(?:${OPERATOR})${SPACE}*(?:${VERSION})(?=${SPACE}|,|$)`);
const NEXT = new RegExp(
  `^(?:${SPACE}+|${SPACE}*,${SPACE}*)(?:${OPERATOR})${SPACE}*(?:${VERSION})(?=${SPACE}|,|$)`,
);
const BLANK = new RegExp(`^${SPACE}*$`);

/** Matches one constraint after the other, with space or a comma before all but the first. */
function isValid(source: string): boolean {
  let match = FIRST.exec(source);
  if (match === null) return false;
  let rest = source;
  while (match !== null) {
    rest = rest.slice(match[0].length);
    match = NEXT.exec(rest);
  }
  return BLANK.test(rest);
}

function parseConstraint(source: string): Constraint {
  const match = ONE.exec(source);
  if (match === null) throw new FunctionError(`improper constraint: ${source}`);
  const [, operator = '', written = '', major = '', minor = '', patch = '', prerelease = ''] = match;
  const wild = [major, minor.slice(1), patch.slice(1)].findIndex(isWild);
  const completed = ['0.0.0', `${major}.0.0`, `${major}${minor}.0`][wild];
  return {
    operator,
    version: parsedOrRefused(completed === undefined ? written : completed + prerelease),
    dirty: wild >= 0,
    minorDirty: wild === 1,
    patchDirty: wild === 2,
  };
}

function parsedOrRefused(source: string): Version {
  try {
    return parseVersion(source);
  } catch (error) {
    if (error instanceof FunctionError) throw new FunctionError('constraint Parser Error');
    throw error;
  }
}

function isWild(part: string): boolean {
  return ['', 'x', 'X', '*'].includes(part);
}

/** A prerelease satisfies only a constraint that has one itself. */
function check(constraint: Constraint, version: Version): boolean {
  const refusesPrerelease = version.prerelease !== '' && constraint.version.prerelease === '';
  if (constraint.operator === '!=') return isOther(constraint, version, refusesPrerelease);
  if (refusesPrerelease) return false;
  const difference = compareVersions(version, constraint.version);
  return (
    CHECKS[constraint.operator]?.(constraint, version, difference) ?? isSame(constraint, version, difference)
  );
}

type Check = (constraint: Constraint, version: Version, difference: number) => boolean;

const atLeast: Check = (_constraint, _version, difference) => difference >= 0;
const near: Check = (constraint, version, difference) => difference >= 0 && isNear(constraint, version);

/** Comparisons by operator. The other operators require the same version. */
const CHECKS: Readonly<Record<string, Check>> = {
  '>': isGreater,
  '<': (_constraint, _version, difference) => difference < 0,
  '>=': atLeast,
  '=>': atLeast,
  '<=': isLessOrEqual,
  '=<': isLessOrEqual,
  '~': near,
  '~>': near,
  '^': (constraint, version, difference) => difference >= 0 && isCompatible(constraint, version),
};

/** With a missing part, `1.2` is the same as `~1.2`. */
function isSame(constraint: Constraint, version: Version, difference: number): boolean {
  return constraint.dirty ? near(constraint, version, difference) : difference === 0;
}

function isOther(constraint: Constraint, version: Version, refusesPrerelease: boolean): boolean {
  const { version: other, dirty, minorDirty, patchDirty } = constraint;
  if (dirty) {
    if (refusesPrerelease) return false;
    if (other.major !== version.major) return true;
    if (other.minor !== version.minor && !minorDirty) return true;
    if (minorDirty) return false;
    if (other.patch !== version.patch && !patchDirty) return true;
    if (patchDirty) return comparePrereleases(version.prerelease, other.prerelease) !== 0;
  }
  return compareVersions(version, other) !== 0;
}

function isGreater(
  { version: other, dirty, minorDirty, patchDirty }: Constraint,
  version: Version,
  difference: number,
): boolean {
  if (!dirty) return difference > 0;
  if (version.major !== other.major) return version.major > other.major;
  if (minorDirty) return false;
  return patchDirty ? version.minor > other.minor : difference > 0;
}

function isLessOrEqual(
  { version: other, dirty, minorDirty }: Constraint,
  version: Version,
  difference: number,
): boolean {
  if (!dirty) return difference <= 0;
  if (version.major > other.major) return false;
  return !(version.major === other.major && version.minor > other.minor && !minorDirty);
}

/** `~1.2.3` matches the same minor version, `~1` the same major one, `~0.0.0` and `*` anything. */
function isNear({ version: other, minorDirty, patchDirty }: Constraint, version: Version): boolean {
  const isAnything =
    other.major === 0n && other.minor === 0n && other.patch === 0n && !minorDirty && !patchDirty;
  if (isAnything) return true;
  return version.major === other.major && (minorDirty || version.minor === other.minor);
}

/** `^1.2.3` matches the same major version. Below 1 the first part that is not 0 must be the same. */
function isCompatible({ version: other, minorDirty, patchDirty }: Constraint, version: Version): boolean {
  if (other.major > 0n || minorDirty) return version.major === other.major;
  if (version.major > 0n) return false;
  if (other.minor > 0n || patchDirty) return version.minor === other.minor;
  return version.minor === 0n && version.patch === other.patch;
}
