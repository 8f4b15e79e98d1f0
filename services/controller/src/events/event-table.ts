/**
 * Selects the timeline records that become Events, so that `kubectl describe` and `kubectl get events` show what operators
 * need.
 */
import type { JournalRecord, JournalSource } from '@tinkerbell/store-contract';

export interface EventWords {
  /** CamelCase, because programs may search for it. */
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
}

const normal = (reason: string): EventWords => ({ reason, type: 'Normal' });
const warning = (reason: string): EventWords => ({ reason, type: 'Warning' });

/** Excludes the success of single actions: a workflow has hundreds, and its timeline has them all. */
const byEvent: Readonly<Record<string, EventWords>> = {
  'rendering-failed': warning('RenderingFailed'),
  'netboot-toggled': normal('NetbootToggled'),
  'boot-job-created': normal('BootJobCreated'),
  'boot-job-completed': normal('BootJobCompleted'),
  'boot-job-neglected': warning('BootJobNeglected'),
  'bmc-failed': warning('GetPowerStateFailed'),
  'bmc-inventory-failed': warning('InventoryUnreachable'),
  'bmc-certificate-pinned': normal('CertificatePinned'),
  'bmc-password-rotated': normal('PasswordRotated'),
  'bmc-rotation-failed': warning('PasswordNotRotated'),
  'bmc-alert': warning('BMCAlert'),
  'bmc-event': normal('BMCEvent'),
  'bmc-job-failed': warning('BMCJobFailed'),
  'bmc-media-served': normal('BMCMediaServed'),
  'bmc-media-failed': warning('BMCMediaFailed'),
  'action-failed': warning('ActionFailed'),
  'action-timed-out': warning('ActionTimedOut'),
  'action-retried': warning('ActionRetried'),
  'action-served-again': warning('ActionServedAgain'),
  'agent-silent': warning('AgentSilent'),
  'agent-refused': warning('AgentRefused'),
  'machine-unknown': warning('MachineUnknown'),
  'machine-discovered': normal('MachineDiscovered'),
  'machine-enrolled': normal('MachineEnrolled'),
  'enrollment-refused': warning('EnrollmentRefused'),
  'machine-ready': normal('MachineReady'),
  'script-refused': warning('BootRefused'),
  'address-in-use': warning('AddressInUse'),
  'address-declined': warning('AddressDeclined'),
  'boot-stopped': warning('BootStopped'),
  'boot-recovered': normal('BootRecovered'),
};

const byState: Readonly<Record<string, EventWords>> = {
  PREPARING: normal('Preparing'),
  PENDING: normal('Rendered'),
  RUNNING: normal('Started'),
  POST: normal('Finishing'),
  SUCCESS: normal('Succeeded'),
  FAILED: warning('Failed'),
  TIMEOUT: warning('TimedOut'),
};

/** Reasons for ignored DHCP packets that mean an error in the Hardware, not in the packet or the network. */
const HARDWARE_REASONS: readonly unknown[] = [
  'several-hardware',
  'no-netboot-data',
  'address-invalid',
  'address-not-ipv4',
  'netmask-invalid',
  'gateway-invalid',
  'static-route-invalid',
  'ipxe-url-invalid',
  'osie-url-invalid',
];

/** Names of journal events that may become Events. All others are skipped. */
export const recordedEvents: readonly string[] = [
  ...Object.keys(byEvent),
  'state-changed',
  'request-ignored',
];

/** Returns undefined for a record that does not become an Event. */
export function wordsOf({ event, details }: JournalRecord): EventWords | undefined {
  if (event === 'state-changed') return byState[String(details?.['to'])];
  if (event !== 'request-ignored') return byEvent[event];
  return HARDWARE_REASONS.includes(details?.['reason']) ? warning('BootRefused') : undefined;
}

const components: Readonly<Partial<Record<JournalSource, string>>> = {
  dhcp: 'tinkerbell-boot',
  tftp: 'tinkerbell-boot',
  http: 'tinkerbell-boot',
  agent: 'tinkerbell-workflows',
  workflow: 'tinkerbell-controller',
  bmc: 'tinkerbell-bmc',
};

/** Returns the reporting component. */
export function componentOf(source: JournalSource): string {
  return components[source] ?? 'tinkerbell';
}
