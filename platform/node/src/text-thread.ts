/** Answers requests until the thread is terminated. */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { DefinitionRead, ObjectRead, TemplateRead, YamlRead } from '@tinkerbell/platform-contract';
import { checkDefinitionText, checkObjectText, type ObjectTexts } from '@tinkerbell/resources';
import { validateTemplateText } from '@tinkerbell/template';
import { yamlToJson, type YamlLimits } from '@tinkerbell/yaml';
import { yieldToOtherThreads } from './thread-priority.ts';

export type TextRequest =
  | { readonly kind: 'yaml'; readonly text: string; readonly limits: YamlLimits }
  | { readonly kind: 'template'; readonly text: string }
  | ({ readonly kind: 'object' } & ObjectTexts)
  | { readonly kind: 'definition'; readonly text: string };

export type TextAnswer = YamlRead | TemplateRead | ObjectRead | DefinitionRead;

export interface TextReply {
  readonly answer: TextAnswer;
  /** Memory that the heap of this thread occupies, also where it is free: V8 returns little of it. */
  readonly heapBytes: number;
}

function answerTo(request: TextRequest): TextAnswer {
  switch (request.kind) {
    case 'yaml': {
      const read = yamlToJson(request.text, request.limits);
      return read.ok ? read : { ...read, reason: 'invalid' };
    }
    case 'template': {
      const read = validateTemplateText(request.text);
      return read.ok ? { ok: true } : { ok: false, reason: 'invalid', error: read.error };
    }
    case 'object':
      return checkObjectText(request);
    case 'definition':
      return { ok: true, problems: checkDefinitionText(request.text) };
  }
}

function reply(request: TextRequest): TextReply {
  const answer = answerTo(request);
  return { answer, heapBytes: getHeapStatistics().total_physical_size };
}

yieldToOtherThreads();
parentPort?.on('message', (request: TextRequest) => parentPort?.postMessage(reply(request), []));
