import { useEffect, useRef } from 'react';
import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import { plainOutput } from './plain-output.ts';

const LINES_SHOWN = 500;
const NEAR_END = 40;

/** The output of an action. It follows the end, unless somebody has scrolled up. */
export function OutputText({ records }: { readonly records: readonly JournalRecord[] }) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (follows.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [records]);
  if (records.length === 0) return <p className="quiet">No output</p>;
  return (
    <pre
      className="output"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label="Output"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
    >
      {records
        .slice(-LINES_SHOWN)
        .map(({ message }) => plainOutput(message))
        .join('\n')}
    </pre>
  );
}
