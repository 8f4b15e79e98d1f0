/** The HTTP port of a server that waits for its cluster. It only answers probes, with the reason. */
import { WholeResponse, type HttpServer, type Log } from '@tinkerbell/platform-contract';
import { createNodeHttp, nodeClock } from '@tinkerbell/platform-node';
import { createReadiness, type RemoteStore } from './readiness.ts';
import type { Settings } from '../settings/settings.ts';

/** Rejects if the port is unavailable. */
export function openWaitingPort(
  place: Settings['http'],
  cluster: RemoteStore,
  log: Log,
): Promise<HttpServer> {
  const readiness = createReadiness(nodeClock, [{ name: 'cluster', failure: () => cluster.failure() }]);
  return createNodeHttp(log).listen(place, ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const answer = readiness.probe(pathname, searchParams.has('verbose'));
    if (answer !== undefined) return Promise.resolve(answer);
    const headers = { 'retry-after': '5', 'content-type': 'text/plain; charset=utf-8' };
    const text = 'the server is waiting for its cluster; see /readyz for details\n';
    return Promise.resolve(new WholeResponse(text, { status: 503, headers }));
  });
}
