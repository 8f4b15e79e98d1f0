import type { ActiveCheckDeps, ServerPlace } from './checks/active-checks.ts';
import type { UsualDurations, Verdicts } from '@tinkerbell/diagnosis';
import type {
  AddressProbe,
  AgentTrials,
  Clock,
  Hmac,
  HttpClient,
  HttpTarget,
  Log,
  Random,
} from '@tinkerbell/platform-contract';
import type { Journal, Store, View } from '@tinkerbell/store-contract';

export interface DoctorDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly httpClient: HttpClient;
  readonly hmac: Hmac;
  readonly verdicts: Verdicts;
  readonly probe: AddressProbe;
  readonly readBmc: ActiveCheckDeps['readBmc'];
  /** Absent: no agent can be asked to check a neighbour. */
  readonly agents?: AgentTrials;
  /** Default: learned from the journal. */
  readonly usual?: UsualDurations;
}

export const webhookFormats = ['json', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

export interface DoctorConfig extends ServerPlace {
  readonly webhooks: WebhookConfig;
  /** Machines that stand still are checked actively without a person who asks. */
  readonly activeChecks: boolean;
}

export interface WebhookConfig {
  /** Absolute http or https URLs. */
  readonly urls: readonly string[];
  /** Signs the bodies. Absent: they have no signature. */
  readonly secret?: Uint8Array;
  readonly format: WebhookFormat;
  /** Default: any host but this one. */
  readonly mayConnect?: (target: HttpTarget) => boolean;
}
