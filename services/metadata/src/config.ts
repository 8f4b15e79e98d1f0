import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import type { Clock, Log, Random, SessionVerifier } from '@tinkerbell/platform-contract';
import type { Journal, View } from '@tinkerbell/store-contract';
import type { IpNetwork } from '@tinkerbell/wire';

export interface MetadataDeps {
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: agents have no sessions, and every session is invalid. */
  readonly agentSessions?: SessionVerifier;
  readonly log: Log;
}

/** The names in parentheses are upstream's flags. */
export interface MetadataConfig {
  /** Proxies whose X-Forwarded-For is trusted (trusted-proxies). `parseIpNetwork` of protocols/wire parses them. */
  readonly trustedProxies: readonly IpNetwork[];
  /** Also serves the tree of any machine by its instance id, to anyone (tootles-instance-endpoint). */
  readonly instanceEndpoint: boolean;
  /**
   * EC2 session tokens (IMDSv2). Optional: a token is checked when one is sent. Required: EC2 and NoCloud answer nothing without
   * one, which excludes cloud-init's NoCloud and its Ec2 outside of AWS.
   */
  readonly tokens: 'optional' | 'required';
  /**
   * Sessions of agents (metadata-auth). Optional: a presented session must belong to the machine whose data
   * it is. Required: only requests with a session and this host get data, which excludes programs that run
   * after the workflow. Off: sessions are ignored.
   */
  readonly agentSessions: AgentAuthMode;
}
