/** Records of the journal: timelines, output of actions, the audit. */
import { useEffect, useState } from 'react';
import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import { keepStreaming } from './keep-streaming.ts';
import { jsonLines } from './lines.ts';
import { send, type ApiFailure } from './request.ts';

export interface Records {
  readonly records: readonly JournalRecord[];
  readonly failure?: ApiFailure;
}

/** More would slow the page down. The oldest are dropped. */
const RECORDS_MAX = 5000;
const NONE: Records = { records: [] };

/** Follows `path`, which has no query yet. `follow` is the parameter that asks for new records. An undefined path follows nothing. */
export function useRecords(path: string | undefined, follow: 'watch' | 'follow' = 'watch'): Records {
  const [shown, setShown] = useState<{ path: string | undefined; records: Records }>();
  useEffect(() => {
    if (path === undefined) return undefined;
    const ending = new AbortController();
    let records: readonly JournalRecord[] = [];
    let frame = 0;
    const show = (failure?: ApiFailure): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setShown({ path, records: failure === undefined ? { records } : { records, failure } });
      });
    };
    const run = async (signal: AbortSignal, connected: () => void): Promise<void> => {
      const after = records.at(-1)?.sequence ?? 0;
      const joint = path.includes('?') ? '&' : '?';
      const { body } = await send(`${path}${joint}after=${after}&${follow}=true`, { signal });
      connected();
      show();
      if (body === null) return;
      for await (const lines of jsonLines(body)) {
        records = [...records, ...lines.map((line) => line as JournalRecord)].slice(-RECORDS_MAX);
        show();
      }
    };
    void keepStreaming(ending.signal, run, show);
    return () => {
      ending.abort();
      cancelAnimationFrame(frame);
    };
  }, [path, follow]);
  return shown === undefined || path === undefined || shown.path !== path ? NONE : shown.records;
}
