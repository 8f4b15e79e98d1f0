import { join } from 'node:path';

import type { BenchContext } from '../benchmark.ts';
import { startOnLoopback } from '../tinkerbell-server.ts';
import { createSite } from '../workflow-objects.ts';

/**
 * Creates Hardware and Templates through the API of the checkout's own server, because another version may
 * store them in another format. Returns the folder of its data. No server runs on it then.
 */
export async function siteOf(context: BenchContext, checkout: string, machines: number): Promise<string> {
  const dataDirectory = join(context.directory, 'data');
  const server = await startOnLoopback(context, { dataDirectory, checkout });
  context.say(`creating ${machines} Hardware in ${checkout}`);
  await createSite(server.url, machines);
  await server.stop();
  return dataDirectory;
}
