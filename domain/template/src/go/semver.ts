import {
  FunctionError,
  INT,
  intValue,
  pointerTo,
  pointerValue,
  STRING,
  stringValue,
  type StructMethod,
  type StructType,
  type StructValue,
  structValue,
  type Value,
} from '@tinkerbell/go-template';

/** A semantic version (Masterminds/semver v3). Missing parts of `1` or `v1.2` are 0. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const IDENTIFIERS = '([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)';
const VERSION = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-${IDENTIFIERS})?(?:\\+${IDENTIFIERS})?$`,
);
const UINT64_MAX = 2n ** 64n - 1n;

/** Reads a version. Throws FunctionError in the words of Masterminds/semver. */
export function parseVersion(source: string): Version {
  const match = VERSION.exec(source);
  if (match === null) throw new FunctionError('Invalid Semantic Version');
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  const version = { major: segment(major), minor: segment(minor), patch: segment(patch) };
  const zeroLed = prerelease.split('.').some((part) => /^0[0-9]+$/.test(part));
  if (zeroLed) throw new FunctionError('Version segment starts with 0');
  return { ...version, prerelease, metadata, original: source };
}

function segment(digits: string): bigint {
  if (BigInt(digits) <= UINT64_MAX) return BigInt(digits);
  throw new FunctionError(
    `Error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`,
  );
}

/**
 * Returns a negative number, zero or a positive number if the first comes before, with or after the second.
 * Metadata does not count.
 */
export function compareVersions(left: Version, right: Version): number {
  for (const part of ['major', 'minor', 'patch'] as const) {
    if (left[part] !== right[part]) return left[part] < right[part] ? -1 : 1;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

/** A version without a prerelease comes after those with one. Numbers come before words. */
export function comparePrereleases(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '' || right === '') return left === '' ? 1 : -1;
  const [a, b] = [left.split('.'), right.split('.')];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = compareParts(a[i] ?? '', b[i] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareParts(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '' || right === '') return left === '' ? -1 : 1;
  const [a, b] = [uint64(left), uint64(right)];
  if (a === undefined && b === undefined) return left < right ? -1 : 1;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return Number(a > b) - Number(a < b);
}

function uint64(part: string): bigint | undefined {
  return /^[0-9]+$/.test(part) && BigInt(part) <= UINT64_MAX ? BigInt(part) : undefined;
}

/** Returns the full version without a leading `v`. */
export function versionText({ major, minor, patch, prerelease, metadata }: Version): string {
  return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
}

const UINT64 = { kind: 'uint64' } as const;
const hidden = (name: string, type: StructType['fields'][number]['type']): StructType['fields'][number] => ({
  name,
  type,
  unexported: true,
});

function getter(type: StructMethod['result'], read: (version: Version) => Value): StructMethod {
  return { params: [], result: type, call: (receiver) => read(versionOf(receiver)) };
}

function comparing(result: StructMethod['result'], read: (difference: number) => Value): StructMethod {
  return {
    params: [{ kind: 'interface' }],
    result,
    call: (receiver, [other]) => read(compareVersions(versionOf(receiver), versionOfPointer(other))),
  };
}

const bool = (value: boolean): Value => ({ kind: 'bool', value });

const METHODS: Readonly<Record<string, StructMethod>> = {
  Major: getter(UINT64, ({ major }) => intValue(major, 'uint64')),
  Minor: getter(UINT64, ({ minor }) => intValue(minor, 'uint64')),
  Patch: getter(UINT64, ({ patch }) => intValue(patch, 'uint64')),
  Prerelease: getter(STRING, ({ prerelease }) => stringValue(prerelease)),
  Metadata: getter(STRING, ({ metadata }) => stringValue(metadata)),
  Original: getter(STRING, ({ original }) => stringValue(original)),
  String: getter(STRING, (version) => stringValue(versionText(version))),
  Compare: comparing(INT, (difference) => intValue(Math.sign(difference))),
  Equal: comparing({ kind: 'bool' }, (difference) => bool(difference === 0)),
  LessThan: comparing({ kind: 'bool' }, (difference) => bool(difference < 0)),
  LessThanEqual: comparing({ kind: 'bool' }, (difference) => bool(difference <= 0)),
  GreaterThan: comparing({ kind: 'bool' }, (difference) => bool(difference > 0)),
  GreaterThanEqual: comparing({ kind: 'bool' }, (difference) => bool(difference >= 0)),
};

const VERSION_TYPE: StructType = {
  kind: 'struct',
  name: 'semver.Version',
  fields: [
    hidden('major', UINT64),
    hidden('minor', UINT64),
    hidden('patch', UINT64),
    hidden('pre', STRING),
    hidden('metadata', STRING),
    hidden('original', STRING),
  ],
  methods: new Map(Object.entries(METHODS)),
  text: (value) => versionText(versionOf(value)),
  jsonText: (value) => versionText(versionOf(value)),
};

export const VERSION_POINTER = pointerTo(VERSION_TYPE);

/** Returns the version as templates see it: a pointer with methods such as `.Major`. */
export function versionValue(version: Version): Value {
  const fields = {
    major: intValue(version.major, 'uint64'),
    minor: intValue(version.minor, 'uint64'),
    patch: intValue(version.patch, 'uint64'),
    pre: stringValue(version.prerelease),
    metadata: stringValue(version.metadata),
    original: stringValue(version.original),
  };
  return pointerValue(VERSION_POINTER, structValue(VERSION_TYPE, fields));
}

function versionOf(value: StructValue): Version {
  const whole = (name: string): bigint => {
    const field = value.fields.get(name);
    return field?.kind === 'integer' ? field.value : 0n;
  };
  const words = (name: string): string => {
    const field = value.fields.get(name);
    return field?.kind === 'string' ? field.value : '';
  };
  return {
    major: whole('major'),
    minor: whole('minor'),
    patch: whole('patch'),
    prerelease: words('pre'),
    metadata: words('metadata'),
    original: words('original'),
  };
}

function versionOfPointer(value: Value | undefined): Version {
  const target = value?.kind === 'pointer' ? value.target : undefined;
  if (target?.kind === 'struct' && target.type === VERSION_TYPE) return versionOf(target);
  throw new FunctionError('not a version');
}
