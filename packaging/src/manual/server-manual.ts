/** tinkerbell(8), from the table of flags. */
import { COMMANDS, defaultOf, environmentNameOf, type Flag } from '@tinkerbell/app-server';
import { heading, item, pageHead, paragraph, subheading, verbatim } from './roff.ts';

const FILES: readonly (readonly [path: string, what: string])[] = [
  ['/etc/tinkerbell/tinkerbell.yaml', 'the settings of the service: flags and their values'],
  [
    '/etc/default/tinkerbell',
    'variables of the service, for settings that contain passwords, such as TINKERBELL_POSTGRES_URL. It does not exist at first',
  ],
  ['/var/lib/tinkerbell', 'the database, and the kubeconfig of this machine'],
  ['/usr/lib/tinkerbell/out/ipxe', 'iPXE binaries'],
  ['/usr/lib/tinkerbell-os', 'the in-memory OS, from the package tinkerbell-os'],
];

export function serverManual(flags: readonly Flag[], version: string): string {
  const groups = [...Map.groupBy(flags, (flag) => flag.group)];
  return [
    pageHead({ name: 'tinkerbell', section: 8, version, summary: 'provision bare-metal machines' }),
    heading('SYNOPSIS'),
    verbatim(COMMANDS.map((command) => `tinkerbell ${command}`).join('\n')),
    heading('DESCRIPTION'),
    paragraph(
      'Provides DHCP, TFTP, iPXE and HTTP netboot, instance metadata, images, workflows and a Kubernetes-compatible API in one process. tink(1) controls it.',
    ),
    paragraph(
      `Every flag can also be set in the environment (--http-port is ${environmentNameOf('http-port')}) and in the file of --config (http-port: 7080). The command line overrides the environment, and the environment overrides the file.`,
    ),
    heading('OPTIONS'),
    ...groups.flatMap(([group, own]) => [subheading(group), ...own.map(flagItem)]),
    heading('FILES'),
    ...FILES.map(([path, what]) => item(path, what)),
    heading('SEE ALSO'),
    paragraph('tink(1), systemctl(1), journalctl(1)'),
  ].join('');
}

function flagItem(flag: Flag): string {
  const value = flag.type === 'boolean' ? '' : ` ${flag.type.toUpperCase()}`;
  const preset = defaultOf(flag);
  return item(`--${flag.name}${value}`, preset === '' ? flag.help : `${flag.help} (default: ${preset})`);
}
