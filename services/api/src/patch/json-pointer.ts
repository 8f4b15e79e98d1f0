/** Limit of steps in one pointer: the nesting limit of objects. */
const STEPS_MAX = 110;

/** Returns the steps of a JSON pointer (RFC 6901); undefined if it is invalid. */
export function parsePointer(text: unknown): readonly string[] | undefined {
  if (text === '') return [];
  if (typeof text !== 'string' || !text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const steps = text.slice(1).split('/', STEPS_MAX + 1);
  if (steps.length > STEPS_MAX) return undefined;
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
