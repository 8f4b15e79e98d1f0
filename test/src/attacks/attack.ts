/**
 * A class of attack: a generator of hostile acts, random within its class and repeatable by its seed. The
 * runner performs acts of all classes against one server at once, and monitors its event loop, its memory and
 * its answers meanwhile.
 */
import type { SeededChoice } from '../seeded-choice.ts';

export type Role = 'admin' | 'editor' | 'viewer' | 'agent' | 'nobody';

/**
 * The server under attack. The editor may edit in the namespace `lab` only, the viewer may read it, and the
 * agent has no role.
 */
export interface AttackTarget {
  /** `http://127.0.0.1:<port>`: the API, boot files, metadata. */
  readonly url: string;
  /** `http://127.0.0.1:<port>` of the gateway's plain port. */
  readonly gatewayUrl: string;
  /** The port of the agents' protocols, on loopback. */
  readonly agentPort: number;
  /** A folder of this run for files of an act. */
  readonly folder: string;
  /** Fetches a path of the API with the credential of a role, and never follows redirects. */
  send(role: Role, path: string, options?: RequestInit): Promise<Response>;
}

export interface Attack {
  /** The name in kebab case, as the report prints it: `yaml-aliases`. */
  readonly name: string;
  /** The kind of thing that one act sends, as the report counts it. */
  readonly sends: 'packet' | 'request' | 'token' | 'body' | 'stream' | 'file';
  /**
   * Performs one act. It is bounded in time and ends what it opened. The runner itself reports stalls, growth
   * and answers of 5xx to `send`. An act throws for what only it can know, such as data returned to a client
   * that may not have it.
   */
  once(target: AttackTarget, choice: SeededChoice): Promise<void>;
}
