import { actionCauses } from './action-causes.ts';
import { addressCauses } from './address-causes.ts';
import type { Cause } from './cause.ts';
import { loaderCauses } from './loader-causes.ts';
import { powerCauses } from './power-causes.ts';
import { systemCauses } from './system-causes.ts';
import { workflowCauses } from './workflow-causes.ts';

/**
 * What stops the whole boot is first, and what explains silence in general is last. Within a subject the specific cause precedes
 * the general one.
 */
const first: readonly string[] = [
  'duplicate-mac',
  'template-not-rendered',
  'boot-override-ignored',
  'bmc-failed',
  'netboot-not-allowed',
];
const last: readonly string[] = ['request-ignored', 'offer-not-accepted', 'agent-silent', 'system-silent'];

const all: readonly Cause[] = [
  ...actionCauses,
  ...workflowCauses.filter(({ id }) => id === 'agent-lost'),
  ...addressCauses,
  ...loaderCauses,
  ...systemCauses,
  ...workflowCauses.filter(({ id }) => id !== 'agent-lost'),
  ...powerCauses,
];

const placed = (ids: readonly string[]): readonly Cause[] =>
  ids.flatMap((id) => all.filter((cause) => cause.id === id));

/** Every cause, in the order in which they are tried. The first one that applies is the verdict. */
export const causes: readonly Cause[] = [
  ...placed(first),
  ...all.filter(({ id }) => !first.includes(id) && !last.includes(id)),
  ...placed(last),
];
