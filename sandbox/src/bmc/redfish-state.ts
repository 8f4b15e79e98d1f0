/** What the simulated service remembers beside its machine. */

export type BiosValue = string | number | boolean;

export interface RedfishState {
  /** Tokens of the open sessions, by path. */
  readonly sessions: Map<string, string>;
  /** The destination and the context of each subscription, by path. */
  readonly subscriptions: Map<string, { readonly destination: string; readonly context: string }>;
  readonly username: string;
  password: string;
  readonly bios: Map<string, BiosValue>;
  /** Used at the next start of the machine. */
  readonly pendingBios: Map<string, BiosValue>;
  /** The wish for the next start, and what the current one has. */
  secureBoot: { readonly isEnabled: boolean; readonly isActive: boolean };
}

export function newRedfishState(account: Pick<RedfishState, 'username' | 'password'>): RedfishState {
  return {
    sessions: new Map(),
    subscriptions: new Map(),
    username: account.username,
    password: account.password,
    bios: new Map<string, BiosValue>([
      ['BootMode', 'Uefi'],
      ['PxeRetries', 3],
      ['WakeOnLan', true],
    ]),
    pendingBios: new Map(),
    secureBoot: { isEnabled: false, isActive: false },
  };
}

/** The machine starts with what was configured since its last start. */
export function applyAtStart(state: RedfishState): void {
  for (const [name, value] of state.pendingBios) state.bios.set(name, value);
  state.pendingBios.clear();
  state.secureBoot = { ...state.secureBoot, isActive: state.secureBoot.isEnabled };
}
