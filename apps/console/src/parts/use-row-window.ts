import { useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { rowWindow, within, type RowWindow } from './row-window.ts';

/** The rows to draw of `count`, while `scroller` is scrolled. Null: it is not there yet. */
export function useRowWindow(scroller: HTMLElement | null, count: number): RowWindow {
  const [whole, setWhole] = useState(() => rowWindow({ top: 0, height: 0 }));
  useLayoutEffect(() => {
    if (scroller === null) return undefined;
    let height = scroller.clientHeight;
    const move = (): void => {
      const next = rowWindow({ top: scroller.scrollTop, height });
      setWhole((before) => (before.first === next.first && before.end === next.end ? before : next));
    };
    // Later, the frame would be shown without the rows.
    const scroll = (): void => flushSync(move);
    const observer = new ResizeObserver(() => {
      height = scroller.clientHeight;
      move();
    });
    move();
    observer.observe(scroller);
    scroller.addEventListener('scroll', scroll, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', scroll);
    };
  }, [scroller]);
  return within(whole, count);
}
