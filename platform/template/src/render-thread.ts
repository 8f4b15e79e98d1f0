/** Answers requests until the thread is terminated. */
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { TemplatePlatform } from '@tinkerbell/template';
import { yieldToOtherThreads } from '@tinkerbell/platform-node/thread-priority';
import type * as NodeTemplatePlatform from './node-template-platform.ts';
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
  const load = (): TemplatePlatform => {
    const loaded: typeof NodeTemplatePlatform = require('./node-template-platform.ts');
    return loaded.templatePlatform;
  };
  return {
    nowMs: () => load().nowMs(),
    randomBytes: (count) => load().randomBytes(count),
    digest: (algorithm, data) => load().digest(algorithm, data),
    hmacSha256: (key, data) => load().hmacSha256(key, data),
    scrypt: (password, salt, size) => load().scrypt(password, salt, size),
    bcrypt: (password) => load().bcrypt(password),
    aesCbc: (direction, input) => load().aesCbc(direction, input),
    generateKey: (kind) => load().generateKey(kind),
    keyProblem: (pem) => load().keyProblem(pem),
    certificateProblem: (pem) => load().certificateProblem(pem),
    certify: (request) => load().certify(request),
  };
}
