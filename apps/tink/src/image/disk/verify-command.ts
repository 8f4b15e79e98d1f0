/** `tink image verify` */
import type { Command } from 'commander';
import { OciError } from '@tinkerbell/oci';
import { examples, sessionOf } from '../../command-line/command-line.ts';
import { TinkFailure } from '../../failure.ts';
import type { Terminal } from '../../output/terminal.ts';
import { nameOnServer } from '../image-source.ts';
import { RegistrySession } from '../registry-session.ts';
import { verifyImage } from './verify-image.ts';

export function addVerify(group: Command, terminal: Terminal): void {
  group
    .command('verify <name>')
    .description('read all of a disk or container image from the registry and compare every digest')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tink image verify disks/debian:12'))
    .action(async (name: string, { json }: { readonly json?: boolean }, command: Command) => {
      const registry = new RegistrySession((await sessionOf(command, terminal)).client);
      try {
        const verified = await verifyImage(registry, nameOnServer(name));
        if (json === true) return terminal.out(`${JSON.stringify({ name, ...verified })}\n`);
        const { blobs, chunks } = verified;
        const unit = chunks === undefined ? 'layer' : 'pack';
        const counted = `${blobs} ${unit}${blobs === 1 ? '' : 's'}`;
        terminal.out(`${name} is whole: ${counted}${chunks === undefined ? '' : `, ${chunks} chunks`}\n`);
      } catch (thrown) {
        if (thrown instanceof OciError) throw new TinkFailure(thrown.message);
        throw thrown;
      }
    });
}
