/** Filters of the table of machines, as search parameters of the address, so that a link shows the same rows. Pure. */
import type { MachineRow } from './machine-row.ts';

export interface MachineFilter {
  /** Words that must all occur in a name, an address, a MAC or a label. */
  readonly words: string;
  /** `FAILED`, `none` for machines without a workflow, or empty for all. */
  readonly state: string;
  /** `allowed`, `denied` or empty. */
  readonly netboot: string;
  /** `rack=r7`, or `rack` for any value. */
  readonly label: string;
  /** `name` or `-name`. */
  readonly sort: string;
  /** Columns that somebody has hidden. Undefined: nobody has chosen any. */
  readonly hidden: readonly string[] | undefined;
  /** The name of the saved view that the address shows, or empty. */
  readonly view: string;
}

type Search = Readonly<Record<string, string | undefined>>;

const SORT = 'name';
/** In the address, where an empty text means that nobody has chosen. */
const ALL_SHOWN = 'none';

export function filterFrom(search: Search): MachineFilter {
  const { q = '', state = '', netboot = '', label = '', sort = SORT, hide = '', view = '' } = search;
  return { words: q, state, netboot, label, sort, hidden: hiddenIn(hide), view };
}

/** Reads the columns that `hiddenText` wrote. */
export function hiddenIn(text: string): MachineFilter['hidden'] {
  if (text === '') return undefined;
  return text === ALL_SHOWN ? [] : text.split(',');
}

export function hiddenText(hidden: MachineFilter['hidden']): string {
  return hidden?.length === 0 ? ALL_SHOWN : (hidden ?? []).join(',');
}

/** Leaves out what is not set, so that addresses stay short. */
export function searchOf({ words, state, netboot, label, sort, hidden, view }: MachineFilter): Search {
  const order = sort === SORT ? '' : sort;
  const all = { q: words, state, netboot, label, sort: order, hide: hiddenText(hidden), view };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function filtered(rows: readonly MachineRow[], filter: MachineFilter): readonly MachineRow[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const [labelName = '', labelValue] = filter.label.split('=');
  const isAll = words.length === 0 && filter.state === '' && filter.netboot === '' && labelName === '';
  if (isAll) return rows;
  return rows.filter(
    (row) =>
      (filter.state === '' || stateWord(row) === filter.state) &&
      (filter.netboot === '' || row.netboot === filter.netboot) &&
      (labelName === '' || hasLabel(row, labelName, labelValue)) &&
      words.every((word) => textOf(row).includes(word)),
  );
}

/** The state without `(paused)`, and `none` without a workflow. */
export function stateWord({ state, workflow }: MachineRow): string {
  return workflow === '' ? 'none' : state.replace(' (paused)', '') || 'PENDING';
}

function hasLabel({ labels }: MachineRow, name: string, value: string | undefined): boolean {
  return labels.some(([one, its]) => one === name && (value === undefined || its === value));
}

const texts = new WeakMap<MachineRow, string>();

function textOf(row: MachineRow): string {
  const kept = texts.get(row);
  if (kept !== undefined) return kept;
  const { name, namespace, hostname, macs, addresses, labels, bmc } = row;
  const parts = [name, namespace, hostname, bmc, ...macs, ...addresses];
  const text = [...parts, ...labels.map((label) => label.join('='))].join(' ').toLowerCase();
  texts.set(row, text);
  return text;
}
