import { readFile } from 'node:fs/promises';

import { ActionError, downloadImage, type ActionContext } from '@tinkerbell/action-kit';

import { readDiskLayout, type DiskLayout } from './disk-layout.ts';
import type { Settings } from './settings.ts';

/** A layout has a few kilobytes. */
const ANSWER_MAX_BYTES = 1024 * 1024;
const RETRY_MS = 30_000;

/** @throws ActionError when the metadata is unreachable or invalid, or describes no disk and no file system. */
export async function fetchLayout(settings: Settings, context: ActionContext): Promise<DiskLayout> {
  const { source } = settings;
  const text = 'file' in source ? await fromFile(source.file) : await fromService(source.url, context);
  const layout = readDiskLayout(text);
  if (layout.disks.length === 0 && layout.fileSystems.length === 0)
    throw new ActionError(
      'the metadata has no disks and no filesystems: set spec.metadata.instance.storage in the Hardware of this machine',
    );
  return layout;
}

async function fromFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ActionError(`cannot read JSON_FILE=${path}`, { cause });
  }
}

async function fromService(url: URL, context: ActionContext): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const { signal, clock, log } = context;
  const advice = 'Check MIRROR_HOST and METADATA_SERVICE_PORT (Tinkerbell serves metadata on port 7080)';
  const answer = downloadImage({ url, retryForMs: RETRY_MS, signal, clock, log, advice, onTotal() {} });
  for await (const chunk of answer) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > ANSWER_MAX_BYTES)
      throw new ActionError(
        `${url.href} sends more than ${ANSWER_MAX_BYTES} bytes: is this the metadata service?`,
      );
  }
  return Buffer.concat(chunks).toString();
}
