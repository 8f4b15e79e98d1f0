/** The parameters that a caller passes to the Template. */
import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import { refuse, type Result } from './failure.ts';

/** The bytes of one Workflow that a caller can fill. Configuration files often have tens of kilobytes. */
const PARAMETERS_CHARACTERS_MAX = 512 * 1024;
const PARAMETERS_MAX = 256;

/** The engine sets these, so a caller's values would be lost (as in upstream). */
const taken = ['hardware', 'Hardware', 'references'];

/**
 * Returns `spec.hardwareMap`. Names must be fields as Go templates write them (`{{ .name }}`: a letter or
 * `_`, then letters, digits and `_`). `device_1` is the first MAC of the machine, else its agentID, unless
 * given. `field` is where the caller wrote them.
 */
export function parametersFor(
  given: Readonly<Record<string, string>>,
  hardware: Hardware,
  field: 'config' | 'parameters',
): Result<Readonly<Record<string, string>>> {
  const entries = Object.entries(given);
  if (entries.length > PARAMETERS_MAX)
    return refuse('invalid-argument', `${field}: has more than ${PARAMETERS_MAX} entries`, field);
  for (const [name] of entries) {
    const problem = nameProblem(name);
    if (problem !== undefined)
      return refuse('invalid-argument', `${field}.${name}: ${problem}`, `${field}.${name}`);
  }
  const characters = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (characters > PARAMETERS_CHARACTERS_MAX)
    return refuse(
      'invalid-argument',
      `${field}: is larger than ${PARAMETERS_CHARACTERS_MAX} characters`,
      field,
    );
  const device = primaryMacOf(hardware) ?? hardware.spec?.agentID;
  return { ok: true, value: { ...(device === undefined ? {} : { device_1: device }), ...given } };
}

function nameProblem(name: string): string | undefined {
  if (!/^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(name))
    return 'must be a name that a template can use as {{ .name }}: letters, digits and "_", not a digit first';
  return taken.includes(name) ? 'is set by the server; use another name' : undefined;
}
