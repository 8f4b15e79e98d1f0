/** What the server measures, asked again and again while a page shows it. */
import { useQuery } from '@tanstack/react-query';
import { send, sendForJson } from '../api/request.ts';
import type { History } from './history.ts';
import { samplesIn, type Sample } from './server-texts.ts';

const POLL_MS = 5000;

async function read(): Promise<readonly Sample[]> {
  return samplesIn(await (await send('/metrics')).text());
}

/** The metrics of now. Empty until there is an answer. */
export function useSamples(): readonly Sample[] {
  const { data = [] } = useQuery({ queryKey: ['metrics'], queryFn: read, refetchInterval: POLL_MS });
  return data;
}

/** The metrics of the last hour, which the server keeps. Undefined until there is an answer. */
export function useHistory(): History | undefined {
  const { data } = useQuery({
    queryKey: ['metrics', 'history'],
    queryFn: () => sendForJson<History>('/metrics/history'),
    refetchInterval: ({ state }) => (state.data?.everySeconds ?? 1) * 1000,
  });
  return data;
}
