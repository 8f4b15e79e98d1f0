/** Follows plain links to pages of the console without loading it again. */
import { useEffect } from 'react';
import { useRouter } from '@tanstack/react-router';

const BASE = '/console/';

export function usePlainLinks(): void {
  const { history } = useRouter();
  useEffect(() => {
    const follow = (event: MouseEvent): void => {
      const isPlain =
        event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
      if (event.defaultPrevented || !isPlain || !(event.target instanceof Element)) return;
      const href = event.target.closest('a')?.getAttribute('href') ?? '';
      if (!href.startsWith(BASE)) return;
      event.preventDefault();
      history.push(href);
    };
    document.addEventListener('click', follow);
    return () => document.removeEventListener('click', follow);
  }, [history]);
}
