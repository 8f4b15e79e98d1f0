/** The sequence of Genesis, and the picture of the site at each stage. */
import { MACHINES, type MachineName } from './plan.ts';

export type Home = 'seed' | 'platform';
export type MachineState = 'off' | 'installing' | 'waiting' | 'installed' | 'lost';

export interface SiteState {
  /** Where the stack runs. */
  readonly home: Home;
  readonly machines: Readonly<Record<MachineName, MachineState>>;
}

export type StageName =
  | 'seed'
  | 'router'
  | 'platform'
  | 'wait'
  | 'move'
  | 'nodes'
  | 'loss'
  | 'rebuild'
  | 'return';

export interface Stage {
  readonly name: StageName;
  readonly title: string;
  /** What the site is while the stage runs. */
  readonly during: Partial<SiteState['machines']>;
  /** What it is when the stage has succeeded. */
  readonly after: Partial<SiteState['machines']>;
  readonly homeAfter?: Home;
}

export const STAGES: readonly Stage[] = [
  { name: 'seed', title: 'The stack starts on the seed machine', during: {}, after: {}, homeAfter: 'seed' },
  {
    name: 'router',
    title: 'The seed installs the router, which relays DHCP from then on',
    during: { router: 'installing' },
    after: { router: 'installed' },
  },
  {
    name: 'platform',
    title: 'Through the relay, the seed installs the platform machine',
    during: { platform: 'installing' },
    after: { platform: 'installed' },
  },
  {
    name: 'wait',
    title: 'The first node starts, and waits between two actions',
    during: { 'node-1': 'installing' },
    after: { 'node-1': 'waiting' },
  },
  {
    name: 'move',
    title: 'The stack moves to the platform machine',
    during: {},
    after: {},
    homeAfter: 'platform',
  },
  {
    name: 'nodes',
    title: 'From its new home, the stack installs the nodes: one creates the cluster, two join',
    during: { 'node-1': 'installing' },
    after: { 'node-1': 'installed', 'node-2': 'installed', 'node-3': 'installed' },
  },
  {
    name: 'loss',
    title: 'After a backup the platform machine is lost; the seed starts empty and restores it',
    during: { platform: 'lost' },
    after: { platform: 'lost' },
    homeAfter: 'seed',
  },
  {
    name: 'rebuild',
    title: 'The seed installs the platform machine again',
    during: { platform: 'installing' },
    after: { platform: 'installed' },
  },
  { name: 'return', title: 'The stack moves home', during: {}, after: {}, homeAfter: 'platform' },
];

export const START: SiteState = {
  home: 'seed',
  machines: { router: 'off', platform: 'off', 'node-1': 'off', 'node-2': 'off', 'node-3': 'off' },
};

export function duringStage(state: SiteState, { during }: Stage): SiteState {
  return { ...state, machines: { ...state.machines, ...during } };
}

export function afterStage(state: SiteState, { after, homeAfter = state.home }: Stage): SiteState {
  return { home: homeAfter, machines: { ...state.machines, ...after } };
}

const MARKS: Readonly<Record<MachineState, string>> = {
  off: '·',
  installing: '→',
  waiting: '‖',
  installed: '✓',
  lost: '✗',
};

/** Returns the lines: a line for each machine, below that which it is reached through, and where the stack is. */
export function pictureOf({ home, machines }: SiteState): readonly string[] {
  const stack = (place: Home): string => (home === place ? '  ← the stack' : '');
  const line = ({ name, becomes }: (typeof MACHINES)[number], indent: string): string => {
    const state = machines[name];
    const what = state === 'installed' ? becomes : state;
    return `${indent}${MARKS[state]} ${name.padEnd(10)}${what}${name === 'platform' ? stack('platform') : ''}`;
  };
  const behind = MACHINES.filter(({ network }) => network === 'provisioning');
  const direct = MACHINES.filter(({ network }) => network === 'site');
  return [
    `    seed${stack('seed')}`,
    ...direct.map((one) => line(one, '    └─ ')),
    ...behind.map((one) => line(one, '        └─ ')),
  ];
}
