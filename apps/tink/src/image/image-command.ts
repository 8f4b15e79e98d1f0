/** `tink image`: container images in the registry of the server. */
import type { Command } from 'commander';
import { isDiskManifest, sharedBytes, sizesOf, type DiskImage } from '@tinkerbell/images';
import { OciError, readManifest } from '@tinkerbell/oci';
import { TinkFailure, usageFailure } from '../failure.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { addDiskImage } from './disk/add-command.ts';
import { addVerify } from './disk/verify-command.ts';
import { storedDisk } from './disk/stored-disks.ts';
import { openImageFiles } from './image-files.ts';
import { imageSourceOf, nameOnServer } from './image-source.ts';
import { pullImage } from './pull-image.ts';
import { RegistrySession } from './registry-session.ts';

interface JsonOption {
  readonly json?: boolean;
}

export function addImage(program: Command, terminal: Terminal): void {
  const group = program
    .command('image')
    .description('manage container and disk images in the registry of the server');
  addDiskImage(group, terminal);
  addPush(group, terminal);
  addPull(group, terminal);
  addList(group, terminal);
  addVerify(group, terminal);
  addDelete(group, terminal);
  addCollect(group, terminal);
}

function addPush(group: Command, terminal: Terminal): void {
  const push: Command = group
    .command('push <source> <name>')
    .description('push an image: an OCI layout (folder or tar archive), or the archive of "docker save"')
    .option('--image <name>', 'tag or name of the image, in a source with several')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples('tink image push ./layout lab/tool:v1', 'tink image push saved.tar lab/tool --image v1'),
    )
    .action(async (source: string, name: string, options: JsonOption & { image?: string }) => {
      const { repository, reference } = checked(() => nameOnServer(name));
      const image = await plainly(async () => imageSourceOf(await openImageFiles(source), options.image));
      const registry = await registryOf(push, terminal);
      let [sent, bytes] = [0, 0];
      for (const blob of image.blobs)
        if (await registry.pushBlob(repository, blob)) {
          sent += 1;
          bytes += blob.sizeBytes;
        }
      const last = image.manifests.at(-1);
      for (const manifest of image.manifests)
        await registry.pushManifest(repository, manifest === last ? reference : manifest.digest, manifest);
      const result = {
        name: `${repository}:${reference}`,
        digest: last?.digest,
        sentBlobs: sent,
        sentBytes: bytes,
      };
      if (options.json === true) return terminal.out(`${JSON.stringify(result)}\n`);
      terminal.out(`${result.name} pushed: ${result.digest}, ${sent} of ${image.blobs.length} blobs sent\n`);
    });
}

function addPull(group: Command, terminal: Terminal): void {
  const pull: Command = group
    .command('pull <name> <file>')
    .description('write an image to a tar archive with an OCI layout')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tink image pull lab/tool:v1 tool.tar'))
    .action(async (name: string, target: string, { json }: JsonOption) => {
      const place = checked(() => nameOnServer(name));
      const registry = await registryOf(pull, terminal);
      const pulled = await plainly(() => pullImage(registry, { ...place, target }));
      if (json === true) return terminal.out(`${JSON.stringify({ file: target, ...pulled })}\n`);
      terminal.out(`${target} written: ${pulled.digest}, ${pulled.blobs} blobs, ${pulled.bytes} bytes\n`);
    });
}

function addList(group: Command, terminal: Terminal): void {
  group
    .command('list [repository]')
    .description('list repositories with their tags and sizes')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('tink image list', 'tink image list lab/tool'))
    .action(async (repository: string | undefined, { json }: JsonOption, command: Command) => {
      const registry = await registryOf(command, terminal);
      const repositories = repository === undefined ? await registry.repositories() : [repository];
      const images: Described[] = [];
      for (const one of repositories)
        for (const tag of await registry.tags(one))
          images.push(await plainly(() => described(registry, one, tag)));
      const shown = images.map(({ image, ...rest }) => ({ ...rest, ...diskOf(image, images) }));
      if (json === true) return terminal.out(`${JSON.stringify(shown, undefined, 2)}\n`);
      const rows = shown.map(({ repository: name, tag, digest, bytes, disk }) => [
        name,
        tag,
        bytes === undefined ? '(index)' : megabytes(bytes),
        digest,
        disk === undefined ? '' : diskText(disk),
      ]);
      if (rows.length === 0)
        return terminal.err(`no images${repository === undefined ? '' : ` in ${repository}`}\n`);
      terminal.out(alignedText([['REPOSITORY', 'TAG', 'SIZE', 'DIGEST', 'DISK'], ...rows]));
    });
}

interface Described {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  readonly bytes: number | undefined;
  /** Undefined for a container image. */
  readonly image: DiskImage | undefined;
}

/** Shared: the part of its chunks that disk images in the list have too. */
function diskOf(image: DiskImage | undefined, all: readonly Described[]) {
  if (image === undefined) return {};
  const others = all.flatMap((one) => (one.image === undefined || one.image === image ? [] : [one.image]));
  return { disk: { ...sizesOf(image), sharedBytes: sharedBytes(image, others) } };
}

function diskText(disk: {
  readonly diskBytes: number;
  readonly dataBytes: number;
  readonly sharedBytes: number;
}): string {
  return `${megabytes(disk.dataBytes)} of ${megabytes(disk.diskBytes)}, ${megabytes(disk.sharedBytes)} shared`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The size of an index depends on the platform. */
async function described(registry: RegistrySession, repository: string, tag: string): Promise<Described> {
  const { digest, bytes, mediaType } = await registry.manifest(repository, tag);
  const manifest = readManifest(bytes, mediaType);
  const parts = manifest.kind === 'image' ? [manifest.config, ...manifest.layers] : undefined;
  const isDisk = manifest.kind === 'image' && isDiskManifest(manifest);
  const image = isDisk ? await storedDisk(registry, repository, manifest) : undefined;
  return { repository, tag, digest, bytes: parts?.reduce((sum, { size }) => sum + size, 0), image };
}

function addDelete(group: Command, terminal: Terminal): void {
  group
    .command('delete <name>')
    .description(
      'delete a tag, or with @sha256:... a manifest with its tags; "tink image gc" frees the space',
    )
    .addHelpText('after', examples('tink image delete lab/tool:v1'))
    .action(async (name: string, _options: unknown, command: Command) => {
      if (!/[:@]/.test(name))
        throw usageFailure(`${name} has neither a tag nor a digest`, `delete ${name}:TAG`);
      const { repository, reference } = checked(() => nameOnServer(name));
      await (await registryOf(command, terminal)).remove(repository, reference);
      terminal.out(`${name} deleted\n`);
    });
}

function addCollect(group: Command, terminal: Terminal): void {
  group
    .command('gc')
    .description('remove blobs that no image needs and nobody has pushed or asked for within the last hour')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', examples('tink image gc'))
    .action(async ({ json }: JsonOption, command: Command) => {
      const report = await (await registryOf(command, terminal)).collectGarbage();
      if (json === true) return terminal.out(`${JSON.stringify(report)}\n`);
      terminal.out(alignedText(Object.entries(report ?? {}).map(reportRow)));
    });
}

/** `removedBytes` becomes `removed bytes`. */
function reportRow([name, value]: readonly [string, unknown]): string[] {
  return [name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), String(value)];
}

async function registryOf(command: Command, terminal: Terminal): Promise<RegistrySession> {
  return new RegistrySession((await sessionOf(command, terminal)).client);
}

function checked<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof OciError) throw usageFailure(thrown.message);
    throw thrown;
  }
}

/** What is wrong with a manifest is a failure of the command, and no bug. */
async function plainly<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof OciError) throw new TinkFailure(thrown.message);
    throw thrown;
  }
}
