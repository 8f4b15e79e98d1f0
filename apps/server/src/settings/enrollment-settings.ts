/** Settings of discovery and enrollment. */
import type { AutoDiscoveryConfig, AutoEnrollmentConfig } from '@tinkerbell/service-workflows';
import type { FlagReader } from './flag-reader.ts';

export interface EnrollmentSettings {
  /** If undefined, machines are not discovered. */
  readonly autoDiscovery?: AutoDiscoveryConfig;
  /** If undefined, agents are not enrolled. */
  readonly autoEnrollment?: AutoEnrollmentConfig;
}

export function enrollmentSettings(flags: FlagReader): EnrollmentSettings {
  return {
    ...(flags.boolean('tink-server-auto-discovery-enabled') ? { autoDiscovery: discovery(flags) } : {}),
    ...(flags.boolean('tink-server-auto-enrollment-enabled') ? { autoEnrollment: {} } : {}),
  };
}

function discovery(flags: FlagReader): AutoDiscoveryConfig {
  return {
    namespace: flags.parsed('tink-server-auto-discovery-namespace', namespaceOf, 'must be a valid namespace'),
    enrollmentEnabled: flags.boolean('tink-server-auto-discovery-auto-enrollment-enabled'),
    requireApproval: flags.boolean('tink-server-auto-discovery-approval'),
    maxDiscovered: flags.number('tink-server-auto-discovery-max', [0, 1_000_000]),
  };
}

function namespaceOf(text: string): string | undefined {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text) ? text : undefined;
}
