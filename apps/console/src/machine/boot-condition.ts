import type { Hardware } from '@tinkerbell/resources';

/** What the doctor has reported last. Undefined before the first boot, and without a doctor. */
export function bootCondition({ status }: Hardware) {
  return status?.conditions?.find(({ type }) => type === 'BootHealthy');
}

/** `stopped`, `healthy`, or empty if nothing is known. */
export function bootHealthOf(hardware: Hardware): string {
  const status = bootCondition(hardware)?.status;
  if (status === undefined) return '';
  return status === 'False' ? 'stopped' : 'healthy';
}
