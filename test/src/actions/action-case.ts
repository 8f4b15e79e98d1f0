/** One machine, what its workflow runs, and how its disks are checked from outside. */
import type { ApiObject, DiskBus, Firmware, Machine, MoreDisk, TimelineRecord } from '@tinkerbell/sandbox';
import type { Site } from './site/open-site.ts';

/** An action of a template. */
export interface ActionStep {
  readonly name: string;
  readonly image: string;
  readonly timeout: number;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly pid?: string;
}

/** What the server stores, and what it renders the template for. */
export interface CaseObjects {
  readonly hardware: ApiObject;
  readonly template: ApiObject;
  readonly workflow: ApiObject;
}

export interface StoredAction {
  readonly name: string;
  readonly state: string;
  readonly message?: string;
}

/** What is known when the machine is off again. */
export interface CaseRun {
  readonly site: Site;
  readonly machine: Machine;
  /** What the actions printed. */
  readonly output: string;
  readonly actions: readonly StoredAction[];
  /** An empty folder. */
  readonly workDirectory: string;
  /** What the server knows of the machine. */
  readonly timeline: readonly TimelineRecord[];
}

export interface ActionCase {
  readonly name: string;
  readonly mac: string;
  readonly firmware: Firmware;
  /** What the site fetches or builds before it closes. */
  readonly needs?: 'debian-image' | 'debian-installer';
  /** Boots from our own image in the CD drive, with a static address. */
  readonly isIso?: true;
  /** Default: 1024. */
  readonly memoryMebibytes?: number;
  readonly diskBytes?: number;
  readonly diskBus?: DiskBus;
  readonly moreDisks?: readonly MoreDisk[];
  /** The port to which it is connected (default: one of the site's own network). The stack ends with the case. */
  readonly port?: (site: Site, cleanup: AsyncDisposableStack) => Promise<string>;
  /** The images of its actions, for the list of what is covered. */
  readonly images: readonly string[];
  /** Builds what the case needs, and returns its objects. The server runs. */
  objects(site: Site): Promise<CaseObjects> | CaseObjects;
  /** Changes disks before power-on. */
  fillDisks?(machine: Machine, site: Site): Promise<void> | void;
  /** Default: SUCCESS. */
  readonly state?: 'SUCCESS' | 'FAILED';
  /** Lines of the console after the agent has started, in this order. */
  readonly prints?: readonly RegExp[];
  /** The template ends without a restart: the operator presses the button. */
  readonly isReset?: true;
  check(run: CaseRun): Promise<void> | void;
}
