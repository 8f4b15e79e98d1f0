/** The API of the stack, wherever it runs. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '@tinkerbell/yaml/json';
import type { TimelineRecord } from '@tinkerbell/sandbox';
import type { Objects } from './checks.ts';

const TINK = join(import.meta.dirname, '../../../apps/tink/src/main.mjs');
const ROOT = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const COLLECTIONS = ['hardware', 'templates', 'workflows'] as const;
const POLL_MS = 500;
/** The machine behind the address changes. A connection to the one before is dead, and would be used again. */
const OWN_CONNECTION = { connection: 'close' };

export interface Home {
  readonly url: string;
  /** As the administrator. */
  readonly request: (url: string, init?: RequestInit) => Promise<Response>;
  tink(...words: readonly string[]): Promise<string>;
  objects(): Promise<Objects>;
  timeline(workflow: string): Promise<readonly TimelineRecord[]>;
}

export function homeAt(url: string, token: string): Home {
  const request: Home['request'] = (address, init = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(OWN_CONNECTION)) headers.set(name, value);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(address, { ...init, headers });
  };
  const read = async (path: string): Promise<string> => {
    const response = await request(`${url}${ROOT}/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  };
  return {
    url,
    request,
    async tink(...words) {
      const env = { ...process.env, TINK_SERVER: url, TINK_TOKEN: token };
      return (await promisify(execFile)(process.execPath, [TINK, ...words], { env })).stdout;
    },
    async objects() {
      const lists = await Promise.all(
        COLLECTIONS.map(async (collection) => {
          const list: unknown = JSON.parse(await read(collection));
          const items: readonly unknown[] =
            isRecord(list) && Array.isArray(list['items']) ? list['items'] : [];
          return items.filter(isRecord).map((item) => [`${collection}/${nameOf(item)}`, item] as const);
        }),
      );
      return new Map(lists.flat());
    },
    async timeline(workflow) {
      const lines = (await read(`workflows/${workflow}/timeline`)).split('\n');
      return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TimelineRecord]));
    },
  };
}

function nameOf({ metadata }: Readonly<Record<string, unknown>>): string {
  return isRecord(metadata) ? String(metadata['name']) : '';
}

/** Resolves when the server answers. @throws Error after the limit. */
export async function answers(url: string, limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const signal = AbortSignal.timeout(POLL_MS * 4);
    const isReady = await fetch(`${url}/readyz`, { signal, headers: OWN_CONNECTION }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (performance.now() > endMs) throw new Error(`${url} does not answer after ${limitMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
