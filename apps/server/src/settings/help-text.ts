/** The text of `tinkerbell --help`: the commands, then every flag by group. */
import { defaultOf, type Flag } from './flag.ts';

/** Every command, as it is typed after `tinkerbell`. */
export const COMMANDS: readonly string[] = [
  '[flags]',
  'config check [flags]',
  'check [--data-dir FOLDER]',
  'crds apply [--kubeconfig FILE]',
  'gateway check FILE',
  'cert init | issue NAME... | show',
];

const USAGE = `usage: ${COMMANDS.map((command) => `tinkerbell ${command}`).join('\n       ')}

Provisions bare-metal machines.

You can also set every flag in the environment (--http-port is TINKERBELL_HTTP_PORT) and in the file of --config
(http-port: 7080). The command line overrides the environment, and the environment overrides the file.
`;
const COLUMNS = 110;
const INDENT = 6;

export function helpText(flags: readonly Flag[]): string {
  const groups = [...Map.groupBy(flags, (flag) => flag.group)];
  const texts = groups.map(([group, own]) => `${group}:\n${own.map(flagText).join('')}`);
  return `${USAGE}\n${texts.join('\n')}`;
}

function flagText(flag: Flag): string {
  const value = flag.type === 'boolean' ? '' : ` ${flag.type.toUpperCase()}`;
  const preset = defaultOf(flag);
  const help = preset === '' ? flag.help : `${flag.help} (default: ${preset})`;
  return `  --${flag.name}${value}\n${wrapped(help)}`;
}

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + word.length < COLUMNS - INDENT) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${' '.repeat(INDENT)}${line}\n`).join('');
}
