import type { Command } from 'commander';
import { examples } from '../command-line/command-line.ts';
import { usageFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';
import { operateMachines, withMachineOptions } from './operate-machines.ts';

const operations = [
  ['on', 'turn the power on'],
  ['off', 'cut the power'],
  ['soft', 'ask the operating system to shut down, and wait until the power is off'],
  ['cycle', 'turn the power off and on'],
  ['reset', 'restart without turning the power off'],
  ['status', 'print whether the power is on'],
] as const;

export function addPower(program: Command, terminal: Terminal): void {
  const group = program
    .command('power')
    .description(
      'control the power of machines through their BMCs; exits 0 when every machine has reached the state',
    )
    .addHelpText(
      'after',
      examples(
        'tink power status m1',
        'tink power cycle m1 m2',
        'tink power off -l rack=r7 --parallel 4',
        'tink power status --all --json',
      ),
    );
  for (const [operation, description] of operations) {
    const command: Command = withMachineOptions(group.command(`${operation} [hardware...]`))
      .description(description)
      .addHelpText('after', examples(`tink power ${operation} m1`, `tink power ${operation} -l rack=r7`))
      .action((names: readonly string[]) =>
        operateMachines({ command, terminal }, names, {
          title: `power ${operation}`,
          word: `power-${operation}`,
          tasks: [{ powerAction: operation }],
        }),
      );
  }
}

const devices = ['pxe', 'http', 'disk', 'bios', 'cdrom', 'safe'];

interface BootDeviceFlags {
  readonly url?: string;
  readonly bios?: boolean;
  readonly persistent?: boolean;
}

export function addBootDevice(program: Command, terminal: Terminal): void {
  const command: Command = withMachineOptions(program.command('boot-device <device> [hardware...]'))
    .description(
      `set what machines boot from next: ${devices.join(', ')}; the BMC is asked whether it keeps the setting`,
    )
    .option('--url <url>', 'what UEFI firmware boots from with the device http; needs Redfish')
    .option('--bios', 'boot in BIOS mode instead of UEFI')
    .option('--persistent', 'for every boot instead of the next one')
    .addHelpText(
      'after',
      examples(
        'tink boot-device pxe m1',
        'tink boot-device disk m1 --persistent',
        'tink boot-device bios -l rack=r7',
        'tink boot-device http m1 --url http://192.168.56.4:7080/ipxe/binary/ipxe.efi',
      ),
    )
    .action((device: string, names: readonly string[]) => {
      if (!devices.includes(device))
        throw usageFailure(
          `boot device ${JSON.stringify(device)} is unknown`,
          `use one of ${devices.join(', ')}`,
        );
      const { bios = false, persistent = false, url } = command.opts<BootDeviceFlags>();
      if ((device === 'http') !== (url !== undefined))
        throw usageFailure('the device http needs --url URL, and no other device has it');
      if (bios && device === 'http')
        throw usageFailure('the device http is a part of UEFI: leave out --bios');
      const httpBootURL = url === undefined ? {} : { httpBootURL: url };
      return operateMachines({ command, terminal }, names, {
        title: `boot from ${device}`,
        word: `boot-${device}`,
        tasks: [{ bootDevice: { device, persistent, efiBoot: !bios, ...httpBootURL } }],
      });
    });
}

export function addMedia(program: Command, terminal: Terminal): void {
  const group = program.command('media').description('insert images into the virtual CD drive of machines');
  const insert: Command = withMachineOptions(group.command('insert <url> [hardware...]'))
    .description('insert the image at this URL, which the BMC reads itself')
    .addHelpText(
      'after',
      examples('tink media insert http://192.168.56.4:7080/iso/52-54-00-ab-cd-ef/hook.iso m1'),
    )
    .action((mediaURL: string, names: readonly string[]) => {
      if (!URL.canParse(mediaURL)) throw usageFailure(`${JSON.stringify(mediaURL)} is not a URL`);
      return operateMachines({ command: insert, terminal }, names, {
        title: 'insert media',
        word: 'media-insert',
        tasks: [{ virtualMediaAction: { kind: 'CD', mediaURL } }],
      });
    });
  const eject: Command = withMachineOptions(group.command('eject [hardware...]'))
    .description('eject the image')
    .addHelpText('after', examples('tink media eject m1', 'tink media eject --all'))
    .action((names: readonly string[]) =>
      operateMachines({ command: eject, terminal }, names, {
        title: 'eject media',
        word: 'media-eject',
        tasks: [{ virtualMediaAction: { kind: 'CD', mediaURL: '' } }],
      }),
    );
}
