/** `tink image add` */
import type { Command } from 'commander';
import { sizesOf } from '@tinkerbell/images';
import { OciError } from '@tinkerbell/oci';
import type { Log } from '@tinkerbell/platform-contract';
import { examples, sessionOf } from '../../command-line/command-line.ts';
import { TinkFailure } from '../../failure.ts';
import type { Terminal } from '../../output/terminal.ts';
import { nameOnServer } from '../image-source.ts';
import { RegistrySession } from '../registry-session.ts';
import { addDisk, type AddedDisk } from './add-disk.ts';
import { openDiskSource, sourceFailure } from './disk-source.ts';
import { earlierDisks } from './stored-disks.ts';

/** Progress in a log, where each report is a line. */
const STEPS_IN_LOG = 10;
const STEPS_ON_TERMINAL = 200;

export function addDiskImage(group: Command, terminal: Terminal): void {
  const add: Command = group
    .command('add <source> <name>')
    .description(
      'store a disk image for image2disk: a file or an address; raw, qcow2, or with qemu-img vmdk, vhdx and vpc; plain, or gzip, zstd, xz and bzip2. Repeat the command to resume',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        'tink image add debian-12.qcow2 disks/debian:12',
        'tink image add https://example.org/disk.raw.xz disks/lab',
      ),
    )
    .action(async (text: string, name: string, { json }: { readonly json?: boolean }) => {
      const { repository, reference } = nameFor(name);
      const { client } = await sessionOf(add, terminal);
      const registry = new RegistrySession(client);
      const added = await addFrom(text, { registry, repository, reference }, terminal);
      // Machines may reach the server at another address than this command.
      const path = `/v2/${repository}/manifests/${reference}`;
      const result = {
        name: `${repository}:${reference}`,
        digest: added.digest,
        path,
        ...sizesOf(added.image),
        chunks: added.image.chunks.length,
        sentBytes: added.sentBytes,
      };
      if (json === true) return terminal.out(`${JSON.stringify(result)}\n`);
      const { diskBytes, dataBytes, sentBytes } = result;
      terminal.out(
        `${result.name} added: ${added.digest}\ndisk ${shown(diskBytes)}, data ${shown(dataBytes)}, sent ${shown(sentBytes)}\nIMG_URL: http://SERVER:7080${path}\n`,
      );
    });
}

async function addFrom(
  text: string,
  place: { readonly registry: RegistrySession; readonly repository: string; readonly reference: string },
  terminal: Terminal,
): Promise<AddedDisk> {
  const { signal, clock } = terminal;
  await using scope = new AsyncDisposableStack();
  try {
    const earlier = await earlierDisks(place.registry, place.repository, place.reference);
    const source = await openDiskSource(text, { signal, clock, log: retriesOf(terminal) }, scope);
    return await addDisk(source, {
      ...place,
      earlier,
      clock,
      progress: progressOf(terminal, source.diskBytes),
    });
  } catch (thrown) {
    if (thrown instanceof TinkFailure) throw thrown;
    if (thrown instanceof OciError) throw new TinkFailure(thrown.message);
    throw sourceFailure(thrown, text);
  }
}

function nameFor(name: string): { readonly repository: string; readonly reference: string } {
  try {
    const place = nameOnServer(name);
    if (!place.reference.includes(':')) return place;
  } catch (thrown) {
    if (thrown instanceof OciError) throw new TinkFailure(thrown.message);
    throw thrown;
  }
  throw new TinkFailure(`${name} names a digest, which is known after the image is stored`, {
    advice: 'use a tag: disks/debian:12',
  });
}

/** Prints why a download is tried again, which lasts up to a minute. A reason that repeats is printed once. */
function retriesOf(terminal: Terminal): Log {
  let last: unknown;
  const log: Log = {
    debug() {},
    info() {},
    warn(_message, { reason } = {}) {
      if (reason !== last) terminal.err(`the download is interrupted: ${String(reason)}; trying again\n`);
      last = reason;
    },
    error() {},
    child: () => log,
  };
  return log;
}

/** Prints nothing for a stream, whose size is unknown. */
function progressOf(terminal: Terminal, total: number | undefined): (diskBytes: number) => void {
  let last = 0;
  return (done) => {
    if (total === undefined) return;
    const steps = terminal.isTty ? STEPS_ON_TERMINAL : STEPS_IN_LOG;
    const step = Math.floor((steps * done) / total);
    if (step === last) return;
    last = step;
    const text = `adding ${shown(done)} of ${shown(total)} (${Math.floor((100 * done) / total)} %)`;
    terminal.styledErr(terminal.isTty ? `\r${text}${done === total ? '\n' : ''}` : `${text}\n`);
  };
}

function shown(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
