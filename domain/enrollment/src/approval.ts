/** Whether a Hardware may get a Workflow by itself (upstream enrollment.go; the approval is ours). */
import type { Hardware } from '@tinkerbell/resources';
import type { EnrollmentRefusal } from './enrollment-refusal.ts';

export const APPROVAL_ANNOTATION = 'tinkerbell.org/approval';
export const APPROVED = 'approved';

/**
 * Undefined when it may. A Hardware with the annotation waits until it says `approved`, which is a consent to enrollment; one without
 * needs `spec.auto.enrollmentEnabled`, or to have been discovered in this very call, as upstream.
 */
export function enrollmentRefusal(
  { metadata, spec }: Hardware,
  isJustDiscovered: boolean,
): EnrollmentRefusal | undefined {
  const approval = metadata.annotations?.[APPROVAL_ANNOTATION];
  if (approval === APPROVED) return undefined;
  if (approval !== undefined)
    return {
      code: 'failed-precondition',
      message: `hardware ${metadata.name} waits for approval; run tink hardware approve ${metadata.name}`,
    };
  if (isJustDiscovered || spec?.auto?.enrollmentEnabled === true) return undefined;
  return { code: 'failed-precondition', message: 'auto enrollment is disabled for this hardware' };
}
