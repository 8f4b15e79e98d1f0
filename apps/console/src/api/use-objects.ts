/** A list that stays current: a `list` of the API in pages, then a `watch` from its revision. */
import { useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Resource } from '@tinkerbell/resources';
import { pathOf, type ConsoleKind } from './kinds.ts';
import { keepStreaming } from './keep-streaming.ts';
import { jsonLines } from './lines.ts';
import { revisionAfter, withEvents, type WatchEvent } from './object-set.ts';
import { ApiFailure, send, sendForJson } from './request.ts';

export interface Objects<Object> {
  readonly items: readonly Object[];
  /** False until the whole list has arrived. */
  readonly isComplete: boolean;
  readonly failure?: ApiFailure;
}

interface ListPage<Object> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly Object[];
}

export interface Wanted {
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** One object only. */
  readonly name?: string;
}

/** The first page is small, so that it is visible soon. */
const [FIRST_PAGE, PAGE_MAX] = [100, 1000];
const NOTHING: Objects<never> = { items: [], isComplete: false };

/** The last list is shown at once when the page is opened again, and then replaced. */
export function useObjects<Object extends Resource>(
  kind: ConsoleKind<Object>,
  { namespace, name }: Wanted,
  isWanted = true,
): Objects<Object> {
  const cache = useQueryClient();
  const key = `${pathOf(kind, namespace)} ${name ?? ''}`;
  const [shown, setShown] = useState<{ key: string; objects: Objects<Object> }>();
  useEffect(() => {
    if (!isWanted) return undefined;
    const ending = new AbortController();
    let frame = 0;
    let latest: Objects<Object> = cache.getQueryData<Objects<Object>>(['objects', key]) ?? NOTHING;
    const show = (objects: Objects<Object>): void => {
      latest = objects;
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        cache.setQueryData(['objects', key], latest);
        setShown({ key, objects: latest });
      });
    };
    const follower = new Follower<Object>(pathOf(kind, namespace), name, show);
    void keepStreaming(
      ending.signal,
      (signal, connected) => follower.run(signal, connected),
      (failure) => show({ ...latest, isComplete: true, failure }),
    );
    return () => {
      ending.abort();
      cancelAnimationFrame(frame);
    };
  }, [cache, kind, namespace, name, key, isWanted]);
  if (shown?.key === key) return shown.objects;
  return cache.getQueryData<Objects<Object>>(['objects', key]) ?? NOTHING;
}

class Follower<Object extends Resource> {
  readonly #path: string;
  readonly #selector: string;
  readonly #show: (objects: Objects<Object>) => void;
  #items: readonly Object[] = [];
  #revision: string | undefined;

  constructor(path: string, name: string | undefined, show: (objects: Objects<Object>) => void) {
    this.#path = path;
    this.#selector = name === undefined ? '' : `&fieldSelector=metadata.name%3D${encodeURIComponent(name)}`;
    this.#show = show;
  }

  /** Lists only if no watch can be resumed. */
  async run(signal: AbortSignal, connected: () => void): Promise<void> {
    this.#revision ??= await this.#list(signal);
    const options = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}`;
    try {
      const { body } = await send(`${this.#path}?${options}${this.#selector}`, { signal });
      connected();
      if (body !== null) await this.#follow(body);
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.status === 410) this.#revision = undefined;
      throw thrown;
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    let next = '';
    let revision = '';
    let items: readonly Object[] = [];
    do {
      const query = `limit=${next === '' ? FIRST_PAGE : PAGE_MAX}${next}${this.#selector}`;
      const page = await sendForJson<ListPage<Object>>(`${this.#path}?${query}`, { signal });
      items = [...items, ...page.items];
      revision ||= page.metadata.resourceVersion;
      const token = page.metadata.continue ?? '';
      next = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
      // A list that replaces another one appears when it is complete.
      if (this.#items.length === 0 || next === '') this.#show({ items, isComplete: next === '' });
    } while (next !== '');
    this.#items = items;
    return revision;
  }

  async #follow(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const lines of jsonLines(body)) {
      const events = lines.map((line) => line as WatchEvent<Object>);
      if (events.some(({ type }) => type === 'ERROR')) {
        this.#revision = undefined;
        throw new ApiFailure(410, 'the watch has ended');
      }
      const items = withEvents(this.#items, events);
      this.#revision = revisionAfter(this.#revision ?? '', events);
      if (items === this.#items) continue;
      this.#items = items;
      this.#show({ items, isComplete: true });
    }
  }
}
