import { BOOL, boolValue, type FunctionSpec, STRING } from '@tinkerbell/go-template';
import { text } from './operands.ts';
import { satisfies } from '../go/semver-constraint.ts';
import { parseVersion, VERSION_POINTER, versionValue } from '../go/semver.ts';

/** Sprig's functions for semantic versions. */
export const SEMVER_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  semver: {
    params: [STRING],
    result: VERSION_POINTER,
    call: ([version]) => versionValue(parseVersion(text(version))),
  },
  semverCompare: {
    params: [STRING, STRING],
    result: BOOL,
    call: ([constraint, version]) =>
      boolValue(satisfies(text(constraint), () => parseVersion(text(version)))),
  },
};
