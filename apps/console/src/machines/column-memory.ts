/** The columns that somebody has chosen in this browser. A link with columns shows those. */
import { hiddenIn, hiddenText, type MachineFilter } from './machine-filter.ts';

const KEY = 'tinkerbell-machine-columns';

export function rememberedColumns(): MachineFilter['hidden'] {
  return hiddenIn(localStorage.getItem(KEY) ?? '');
}

export function rememberColumns(hidden: MachineFilter['hidden']): void {
  localStorage.setItem(KEY, hiddenText(hidden));
}
