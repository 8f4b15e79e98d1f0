/** Answers requests until the thread is terminated. */
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { TemplatePlatform } from '@tinkerbell/template';
import { yieldToOtherThreads } from '@tinkerbell/platform-node/thread-priority';
import { answerTo, type RenderRequest } from './render-request.ts';

const platform = lazyPlatform();

yieldToOtherThreads();
parentPort?.on('message', (request: RenderRequest) =>
  parentPort?.postMessage(answerTo(request, platform), []),
);
parentPort?.postMessage('ready', []);

/** Loaded when a template first uses cryptography, which few do. It costs 12 MB and 0.2 s. */
function lazyPlatform(): TemplatePlatform {
  const require = createRequire(import.meta.url);
  const load = (): TemplatePlatform =>
    (require('./node-template-platform.ts') as { templatePlatform: TemplatePlatform }).templatePlatform;
  return new Proxy({} as TemplatePlatform, { get: (_, name: keyof TemplatePlatform) => load()[name] });
}
