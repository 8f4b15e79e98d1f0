/**
 * Fields of ours that upstream's CRDs lack, and which an API server with upstream's CRDs drops. docs/decisions/0006, 0008, 0013 and 0014 say
 * what they are for, and 0015 where they are then.
 */

/** Of each entry of a Workflow's `status.tasks[].actions`. */
export const workflowActionExtensions: readonly string[] = [
  'again',
  'attempt',
  'backoff',
  'breakpoint',
  'deadline',
  'if',
  'notBefore',
  'onFailure',
  'onInterrupted',
  'retried',
  'retries',
];

/** Of a Workflow's `status`. */
export const workflowStatusExtensions: readonly string[] = ['hardwareUID', 'operations', 'paused'];

/** Of a Hardware's `status`. */
export const hardwareStatusExtensions: readonly string[] = ['conditions'];
