/**
 * A regular expression as a nondeterministic automaton (Thompson): all states are followed at once, so that time is at most states times
 * characters, whatever the expression.
 */
import type { MatchSteps } from './match-steps.ts';
import { RegexpFault, type CharacterTest, type RegexpNode } from './regexp-tree.ts';

/** In a state, a character leads on to the next state; a fork leads to others without one. */
type State = { readonly test: CharacterTest } | { forks: readonly number[] };

/** The last state is the end. */
export type RegexpMachine = readonly State[];

/** More means nested counts; a name or a serial number needs dozens. */
export const STATES_MAX = 2000;
/** Longer text matches no regular expression: no attribute of a machine comes near, and time stays bounded. */
export const REGEXP_TEXT_MAX = 4096;

/** Throws a RegexpFault when it becomes too large. */
export function buildMachine(tree: RegexpNode): RegexpMachine {
  const states: State[] = [];
  emit(tree, states);
  states.push({ forks: [] });
  return states;
}

function add(states: State[], state: State): number {
  if (states.length >= STATES_MAX)
    throw new RegexpFault(0, `expected counts that multiply to fewer than ${STATES_MAX} states`);
  return states.push(state) - 1;
}

function emit(node: RegexpNode, states: State[]): void {
  switch (node.kind) {
    case 'character':
      add(states, { test: node.test });
      return;
    case 'sequence':
      for (const item of node.items) emit(item, states);
      return;
    case 'choice':
      emitChoice(node.branches, states);
      return;
    case 'repeat':
      emitRepeat(node, states);
  }
}

function emitChoice(branches: readonly RegexpNode[], states: State[]): void {
  const fork = { forks: [] as number[] };
  add(states, fork);
  const ends = branches.map((branch) => {
    fork.forks.push(states.length);
    emit(branch, states);
    const end = { forks: [] as number[] };
    add(states, end);
    return end;
  });
  for (const end of ends) end.forks.push(states.length);
}

function emitRepeat({ node, min, max }: Extract<RegexpNode, { kind: 'repeat' }>, states: State[]): void {
  for (let count = 0; count < min; count++) emitCounted(node, states);
  if (max === undefined) {
    const fork = { forks: [] as number[] };
    const start = add(states, fork);
    emit(node, states);
    add(states, { forks: [start] });
    fork.forks.push(start + 1, states.length);
    return;
  }
  const exits: { forks: number[] }[] = [];
  for (let count = min; count < max; count++) {
    const fork = { forks: [] as number[] };
    const at = add(states, fork);
    fork.forks.push(at + 1);
    exits.push(fork);
    emit(node, states);
  }
  for (const exit of exits) exit.forks.push(states.length);
}

/** Each repetition costs at least one state, so that `(){1000}` in itself cannot take for ever. */
function emitCounted(node: RegexpNode, states: State[]): void {
  const before = states.length;
  emit(node, states);
  if (states.length === before) add(states, { forks: [before + 1] });
}

/** Whether the whole of `text` matches. Throws MatchTooLong. */
export function machineMatches(machine: RegexpMachine, text: string, steps: MatchSteps): boolean {
  if (text.length > REGEXP_TEXT_MAX) return false;
  const front = new StateSet(machine);
  const next = new StateSet(machine);
  front.enter(0);
  let [current, following] = [front, next];
  for (const character of text) {
    following.clear();
    steps.take(1 + current.size());
    for (const index of current.characters) {
      const state = machine[index];
      if (state !== undefined && 'test' in state && state.test(character)) following.enter(index + 1);
    }
    if (following.isEmpty()) return false;
    [current, following] = [following, current];
  }
  return current.has(machine.length - 1);
}

class StateSet {
  readonly #machine: RegexpMachine;
  /** The round in which a state was entered last. */
  readonly #entered: Uint32Array;
  #round = 1;
  #count = 0;
  /** Entered states that wait for a character. */
  readonly characters: number[] = [];

  constructor(machine: RegexpMachine) {
    this.#machine = machine;
    this.#entered = new Uint32Array(machine.length);
  }

  /** Enters a state and all that forks lead to from it. */
  enter(first: number): void {
    const waiting = [first];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (this.#entered[index] === this.#round) continue;
      this.#entered[index] = this.#round;
      this.#count++;
      const state = this.#machine[index];
      if (state === undefined) continue;
      if ('test' in state) this.characters.push(index);
      else waiting.push(...state.forks);
    }
  }

  has(index: number): boolean {
    return this.#entered[index] === this.#round;
  }

  /** States that were entered. */
  size(): number {
    return this.#count;
  }

  isEmpty(): boolean {
    return this.#count === 0;
  }

  clear(): void {
    this.#round++;
    this.#count = 0;
    this.characters.length = 0;
  }
}
