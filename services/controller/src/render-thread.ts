/** Answers what it is asked, until it is ended. */
import { parentPort } from 'node:worker_threads';
import { answerTo, type RenderRequest } from './render-request.ts';

parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(answerTo(request), []));
parentPort?.postMessage('ready', []);
