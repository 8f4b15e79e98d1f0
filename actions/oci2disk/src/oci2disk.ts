import { randomBytes, randomInt } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

import {
  ActionError,
  agentSession,
  assertBlockDevice,
  compressionByExtension,
  decompress,
  defineAction,
  detectCompression,
  deviceSize,
  formatBytes,
  hookUrlIn,
  openDiskWriter,
  peekStart,
  progressMeter,
  type ActionContext,
  type Compression,
  type WriteTotals,
} from '@tinkerbell/action-kit';
import { formatReference, linuxPlatform, type Descriptor } from '@tinkerbell/oci';
import { PlatformError, type Random } from '@tinkerbell/platform-contract';
import {
  createRegistryClient,
  withOwnServer,
  type OwnServer,
  type RegistryClient,
  type RegistrySettings,
} from '@tinkerbell/registry-client';

import { chooseLayer } from './choose-layer.ts';
import { readSettings, type Settings } from './settings.ts';

const PROGRESS_MS = 1000;

/**
 * Streams a disk image from an OCI registry to a disk, and unpacks it on the way. Upstream: the oci2disk
 * action. See `settings.ts` for the variables.
 */
export const oci2diskAction = defineAction('oci2disk', async (environment, context) => {
  const settings = readSettings(environment);
  // A missing name under /dev must not become a file in memory.
  const info = await stat(settings.disk).catch(() => undefined);
  if (info?.isFile() !== true) await assertBlockDevice(settings.disk);
  try {
    const { bytes } = await writeArtifact(settings, context);
    return {
      message: `wrote ${formatBytes(bytes)} of ${formatReference(settings.reference)} to ${settings.disk}`,
    };
  } catch (cause) {
    throw expected(cause);
  }
});

async function writeArtifact(settings: Settings, context: ActionContext): Promise<WriteTotals> {
  const { reference, disk } = settings;
  const name = formatReference(reference);
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const kernelArguments = await readFile('/proc/cmdline', 'utf8').catch(() => '');
  const client = clientFor(settings, { ...agentSession, hookUrl: hookUrlIn(kernelArguments) }, context);
  const artifact = await client.artifact(reference, signal);
  const choice = chooseLayer(artifact.manifest);
  if (!choice.ok) throw new ActionError(`${name} is not a disk image: ${choice.error}`);
  const { layer, title } = choice;
  context.log.info('writing image', { image: name, title, digest: layer.digest, disk });
  const blob = client.blob(artifact, layer, signal);
  try {
    return await writeLayer({ settings, layer, title, blob, name }, context);
  } finally {
    ended.abort();
    await blob.return();
  }
}

interface LayerWrite {
  readonly settings: Settings;
  readonly layer: Descriptor;
  readonly title: string;
  readonly blob: AsyncGenerator<Buffer, void>;
  readonly name: string;
}

async function writeLayer(write: LayerWrite, context: ActionContext): Promise<WriteTotals> {
  const { disk } = write.settings;
  const meter = progressMeter(PROGRESS_MS, context);
  meter.setTotal(write.layer.size);
  const writer = await openDiskWriter(disk, await deviceSize(disk), context.signal);
  try {
    const { start, source } = await peekStart(counted());
    for await (const chunk of decompress(source, compressionOf(write, start))) await writer.write(chunk);
    context.progress({ message: `syncing ${disk}` });
    const totals = await writer.finish();
    if (totals.bytes === 0) throw new ActionError(`${write.name} is empty: there is nothing to write`);
    return totals;
  } finally {
    await writer.close();
  }

  async function* counted(): AsyncGenerator<Buffer, void> {
    try {
      for await (const chunk of write.blob) {
        meter.add(chunk.length);
        yield chunk;
      }
    } catch (cause) {
      throw expected(cause);
    }
  }
}

/** A decoder would report any other error as damage of its input. */
function expected(cause: unknown): unknown {
  return cause instanceof PlatformError ? new ActionError(cause.message, { cause }) : cause;
}

function compressionOf({ settings, title }: LayerWrite, start: Buffer): Compression {
  if (settings.compression !== 'detect') return settings.compression;
  return compressionByExtension(title) ?? detectCompression(start);
}

function clientFor(settings: Settings, server: OwnServer, { clock, log }: ActionContext): RegistryClient {
  const { registry } = settings.reference;
  if (settings.skipVerification)
    log.warn('SKIP_VERIFY accepts any certificate: anyone on the network can replace the image', {
      registry,
    });
  return createRegistryClient({
    settings: registriesFor(settings, server),
    platform: linuxPlatform(process.arch),
    clock,
    random: RANDOM,
  });
}

/** The registry of the own server gets the session and needs no settings, as for containers. */
export function registriesFor(settings: Settings, server: OwnServer): RegistrySettings {
  const { reference, login, plainHttp, skipVerification } = settings;
  const { registry } = reference;
  const requested = {
    credentials: login === undefined ? [] : [{ registry, ...login }],
    mirrors: {},
    plainHttp: plainHttp ? [registry] : [],
    skipVerification,
  };
  return withOwnServer(requested, server);
}

const FRACTION_STEPS = 2 ** 32;

const RANDOM: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => randomInt(FRACTION_STEPS) / FRACTION_STEPS,
};
