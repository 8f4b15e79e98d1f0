/** Decides whether a Hardware may get a Workflow automatically (upstream enrollment.go). Upstream has no approval. */
import type { Hardware } from '@tinkerbell/resources';
import type { EnrollmentRefusal } from './enrollment-refusal.ts';

export const APPROVAL_ANNOTATION = 'tinkerbell.org/approval';
export const APPROVED = 'approved';

/**
 * Returns undefined when it may. A Hardware with the annotation waits until its value is `approved`, which permits enrollment. A
 * Hardware without it needs `spec.auto.enrollmentEnabled`, or must have been discovered in this call, as in upstream.
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
