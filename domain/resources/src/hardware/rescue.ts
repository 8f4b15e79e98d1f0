/** An annotation on a Hardware: `true` boots the in-memory OS with a shell and without the agent (`tink rescue`). */
export const RESCUE_ANNOTATION = 'tinkerbell.org/rescue';
