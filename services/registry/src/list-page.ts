/** Pages of lists: `n` and `last` of the OCI distribution specification v1.1, "Listing Tags". */
import { pathNameOf } from '@tinkerbell/platform-contract';
import { RegistryError } from './registry-error.ts';

/** Clients that know no pages get this many. */
const PAGE_MAX = 10_000;

export interface ListPage {
  readonly items: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** `all` is in the order of its bytes. */
export function pageOf(all: readonly string[], url: string): ListPage {
  const query = new URL(url).searchParams;
  const count = countOf(query.get('n'));
  const last = query.get('last');
  const rest = last === null ? all : all.filter((one) => one > last);
  const items = rest.slice(0, count);
  const end = items.at(-1);
  if (end === undefined || items.length === rest.length) return { items, headers: {} };
  const next = new URLSearchParams({ n: `${count}`, last: end }).toString();
  return { items, headers: { link: `<${pathNameOf(url)}?${next}>; rel="next"` } };
}

function countOf(text: string | null): number {
  if (text === null) return PAGE_MAX;
  if (/^[0-9]{1,9}$/.test(text)) return Math.min(Number(text), PAGE_MAX);
  throw new RegistryError('UNSUPPORTED', `n must be a number, not ${JSON.stringify(text.slice(0, 50))}`, {
    status: 400,
  });
}
