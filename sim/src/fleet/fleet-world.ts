/** What the machines of a fleet share. */
import type { Clock, Udp } from '@tinkerbell/platform-contract';
import type { Machine } from '../machine/model.ts';
import type { FleetOptions } from './fleet-options.ts';
import type { MachinePlan } from './machine-plan.ts';
import type { Exchange } from './recording.ts';
import type { FleetRelay } from './relay.ts';

export interface FleetWorld {
  readonly clock: Clock;
  readonly udp: Udp;
  readonly relay: FleetRelay;
  readonly options: FleetOptions;
  readonly watcher: FleetWatcher;
  /** Receives everything that a machine sends and gets. Absent: nobody wants to know. */
  readonly onExchange?: ((machine: string, what: Exchange['what'], text: string) => void) | undefined;
}

/** Is called with what happens, as it happens. */
export interface FleetWatcher {
  entered(machine: Machine, before: Machine['phase'], stayedMs: number): void;
  crashed(): void;
  addressed(address: string, mac: string): void;
  measured(step: 'images' | 'report', tookMs: number): void;
  acknowledged(plan: MachinePlan, action: string): void;
  given(plan: MachinePlan, action: string): void;
}
