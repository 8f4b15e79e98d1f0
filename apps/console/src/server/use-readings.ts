/** The metrics of the server, every 5 s while a page shows them. They last until the browser leaves the console. */
import { useQuery } from '@tanstack/react-query';
import { send } from '../api/request.ts';
import { withReading, type Reading } from './readings.ts';
import { samplesIn } from './server-texts.ts';

const POLL_MS = 5000;
/** A rate needs two readings. */
const FIRST_MS = 1000;
let readings: readonly Reading[] = [];

async function read(): Promise<readonly Reading[]> {
  const text = await (await send('/metrics')).text();
  readings = withReading(readings, { atMs: new Date().getTime(), samples: samplesIn(text) });
  return readings;
}

/** Empty until there is an answer. The last reading is the current one. */
export function useReadings(): readonly Reading[] {
  const { data } = useQuery({
    queryKey: ['metrics'],
    queryFn: read,
    refetchInterval: () => (readings.length < 3 ? FIRST_MS : POLL_MS),
  });
  return data ?? readings;
}
