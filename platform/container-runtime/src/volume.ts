/** Volumes in Docker's form: `source:destination[:options]`. */
import { PlatformError } from '@tinkerbell/platform-contract';

export interface Volume {
  /** An absolute path of the machine, or the name of a volume. */
  readonly source: string;
  readonly isNamed: boolean;
  readonly destination: string;
  /** Options of a bind mount. */
  readonly options: readonly string[];
}

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/;
const PROPAGATIONS = new Set(['private', 'rprivate', 'shared', 'rshared', 'slave', 'rslave']);
/** For SELinux, macOS and empty volumes. They change nothing here. */
const WITHOUT_EFFECT = new Set([
  'rw',
  'z',
  'Z',
  'nocopy',
  'cached',
  'delegated',
  'consistent',
  'bind',
  'rbind',
]);

/** Throws a PlatformError that quotes the volume. */
export function readVolume(text: string): Volume {
  const [source = '', destination = '', options = '', ...more] = text.split(':');
  const wrong = (reason: string): PlatformError =>
    new PlatformError('unavailable', `the volume ${JSON.stringify(text)} is invalid: ${reason}`);
  if (more.length > 0 || text.includes('\0')) throw wrong('write source:destination[:options]');
  const isNamed = !source.startsWith('/');
  if (isNamed && !NAME.test(source))
    throw wrong('the source must be an absolute path or the name of a volume');
  const parts = destination.split('/').filter((part) => part !== '' && part !== '.');
  if (!destination.startsWith('/') || parts.length === 0 || parts.includes('..'))
    throw wrong('the destination must be an absolute path below /');
  const chosen = optionsOf(options);
  if (typeof chosen === 'string') throw wrong(chosen);
  return { source, isNamed, destination: `/${parts.join('/')}`, options: chosen };
}

/** Returns what is wrong as a text. */
function optionsOf(text: string): readonly string[] | string {
  const chosen = text.split(',').filter((option) => option !== '');
  const unknown = chosen.find((one) => one !== 'ro' && !PROPAGATIONS.has(one) && !WITHOUT_EFFECT.has(one));
  if (unknown !== undefined)
    return `the option ${unknown} is unknown; use ro, rw, or a propagation such as rslave`;
  const propagation = chosen.findLast((one) => PROPAGATIONS.has(one)) ?? 'rprivate';
  return ['rbind', propagation, chosen.includes('ro') ? 'ro' : 'rw'];
}
