import { createHash } from 'node:crypto';

import {
  ActionError,
  decompress,
  defineAction,
  detectCompression,
  downloadImage,
  formatBytes,
  peekStart,
  unpackTar,
  withMounted,
  type ActionContext,
  type UnpackTotals,
} from '@tinkerbell/action-kit';

import { readSettings, type Settings } from './settings.ts';

/** Unpacks a tar archive from HTTP into a file system. See `settings.ts` for the variables. */
export const archive2diskAction = defineAction('archive2disk', async (environment, context) => {
  const settings = readSettings(environment);
  const totals = await withMounted(settings, context, (root) => unpackInto(root, settings, context));
  const { device, directory } = settings;
  return {
    message: `unpacked ${totals.entries} entries (${formatBytes(totals.bytes)}) to ${directory} on ${device}`,
  };
});

async function unpackInto(root: string, settings: Settings, context: ActionContext): Promise<UnpackTotals> {
  const { url, retryForMs, directory } = settings;
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const advice = 'Check the server and the network, or set HTTP_CLIENT_TIMEOUT_MINUTES';
  const { clock, log } = context;
  const hash = settings.checksum === undefined ? undefined : createHash(settings.checksum.algorithm);
  try {
    const download = downloadImage({ url, retryForMs, signal, clock, log, advice, onTotal() {} });
    const { start, source } = await peekStart(download);
    const compression = settings.compression === 'detect' ? detectCompression(start) : settings.compression;
    context.progress({ message: `unpacking ${url.href}` });
    const totals = await unpackTar({ root, directory, source: hashed() }, context);
    if (totals.entries === 0) throw new ActionError(`${url.href} is an archive without entries`);
    const digest = hash?.digest('hex');
    if (digest !== settings.checksum?.hex)
      throw new ActionError(
        `the tar's ${settings.checksum?.algorithm} is ${digest}, TARFILE_CHECKSUM says ${settings.checksum?.hex}: ${directory} on ${settings.device} holds wrong files`,
      );
    return totals;

    async function* hashed(): AsyncGenerator<Buffer, void> {
      for await (const chunk of decompress(source, compression)) {
        hash?.update(chunk);
        yield chunk;
      }
    }
  } finally {
    ended.abort();
  }
}
