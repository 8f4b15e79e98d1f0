import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import type { Clock, Log, Random, SessionVerifier } from '@tinkerbell/platform-contract';
import type { Journal, View } from '@tinkerbell/store-contract';
import type { IpNetwork } from '@tinkerbell/wire';

export interface MetadataDeps {
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: agents have no sessions, and none is good. */
  readonly agentSessions?: SessionVerifier;
  readonly log: Log;
}

/** The words in brackets are upstream's flags. */
export interface MetadataConfig {
  /** Whose X-Forwarded-For is believed (trusted-proxies); `parseIpNetwork` of protocols/wire reads them. */
  readonly trustedProxies: readonly IpNetwork[];
  /** Also serve the tree of any machine by its instance id, to anyone (tootles-instance-endpoint). */
  readonly instanceEndpoint: boolean;
  /**
   * EC2 session tokens (IMDSv2). Optional: checked when one is sent. Required: EC2 and NoCloud answer nothing without one,
   * which shuts out cloud-init's NoCloud and its Ec2 outside of AWS.
   */
  readonly tokens: 'optional' | 'required';
  /**
   * Sessions of agents (metadata-auth). Optional: one that is presented must be of the machine whose data it is. Required: nothing
   * without one, which shuts out whatever runs after the workflow; this host is let in. Off: not looked at.
   */
  readonly agentSessions: AgentAuthMode;
}
