/**
 * Our fields that upstream's CRDs lack, and which an API server with upstream's CRDs drops.
 * docs/decisions/0006, 0008, 0013, 0014, 0021 and 0027 describe their purpose, and 0015 where they are stored in that
 * case.
 */

/** Fields of each entry of a Workflow's `status.tasks[].actions`. */
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

/** Fields of a Workflow's `status`. */
export const workflowStatusExtensions: readonly string[] = ['hardwareUID', 'operations', 'paused'];

/** Fields of a Hardware's `status`. */
export const hardwareStatusExtensions: readonly string[] = ['conditions'];

/** Fields of the `bootDevice` of a BMC operation. */
export const bootDeviceExtensions: readonly string[] = ['httpBootURL'];

/** Fields of the options of IPMI. */
export const ipmiOptionExtensions: readonly string[] = ['version'];
