/** Views of the machines that somebody has saved: filters, order and columns under a name. Pure. */
import { searchOf, type MachineFilter } from './machine-filter.ts';

export interface SavedView {
  readonly name: string;
  /** What follows the `?` in the address: `q=node-1&sort=-age`. */
  readonly search: string;
}

/** More do not fit on the screen. */
export const VIEWS_MAX = 30;
export const NAME_CHARACTERS_MAX = 60;

/** Reads what `viewsText` wrote. Anything else has no views. */
export function viewsIn(text: string): readonly SavedView[] {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) ? values.filter(isView).slice(0, VIEWS_MAX) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('search' in value)) return false;
  return typeof value.name === 'string' && value.name !== '' && typeof value.search === 'string';
}

export function viewsText(views: readonly SavedView[]): string {
  return JSON.stringify(views);
}

/** In the order of their names. A view of the same name is replaced. Returns undefined if there are too many. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] | undefined {
  const next = [...withoutView(views, view.name), view];
  if (next.length > VIEWS_MAX) return undefined;
  return next.toSorted((one, other) => one.name.localeCompare(other.name));
}

export function withoutView(views: readonly SavedView[], name: string): readonly SavedView[] {
  return views.filter((one) => one.name !== name);
}

/** What is saved of a filter. */
export function viewSearch(filter: MachineFilter): string {
  return new URLSearchParams(definedOf(searchOf({ ...filter, view: '' }))).toString();
}

/** The search parameters of the address that shows a view under its name. */
export function addressOf({ name, search }: SavedView): Readonly<Record<string, string>> {
  return { ...Object.fromEntries(new URLSearchParams(search)), view: name };
}

function definedOf(search: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
