/** Answers what it is asked, until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TemplatePlatform } from '@tinkerbell/template';
import { answerTo, type RenderRequest } from './render-request.ts';

const { platformModule } = workerData as { readonly platformModule: string | undefined };
const platform =
  platformModule === undefined
    ? undefined
    : ((await import(platformModule)) as { readonly templatePlatform: TemplatePlatform }).templatePlatform;

parentPort?.on('message', (request: RenderRequest) =>
  parentPort?.postMessage(answerTo(request, platform), []),
);
parentPort?.postMessage('ready', []);
