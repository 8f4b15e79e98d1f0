/** /etc/tinkerbell/tinkerbell.yaml: the settings of the package, and every other flag as a comment with its default. */
import { defaultOf, type Flag } from '@tinkerbell/app-server';

/** What the package sets. */
const PACKAGE_SETTINGS: Readonly<Record<string, string>> = {
  'data-dir': '/var/lib/tinkerbell',
  'hook-dir': '/usr/lib/tinkerbell-os',
};
/** A file cannot name another file, and commands are no settings. */
const NOT_IN_FILE = new Set(['config', 'help', 'version']);
const COLUMNS = 118;

const HEAD = `# Settings of tinkerbell.service. Every flag of tinkerbell(8) can be set here.
# Check a change with: tinkerbell config check --config /etc/tinkerbell/tinkerbell.yaml
# Apply it with:       systemctl restart tinkerbell
# Set passwords in /etc/default/tinkerbell instead, which only root must be able to read: TINKERBELL_POSTGRES_URL=...
`;

export function settingsFile(flags: readonly Flag[]): string {
  const shown = flags.filter(({ name }) => !NOT_IN_FILE.has(name));
  const groups = [...Map.groupBy(shown, (flag) => flag.group)];
  return HEAD + groups.map(([group, own]) => `\n### ${group}\n\n${own.map(setting).join('\n')}`).join('');
}

function setting(flag: Flag): string {
  const own = PACKAGE_SETTINGS[flag.name];
  const preset = defaultOf(flag);
  const help = preset === '' ? flag.help : `${flag.help} (default: ${preset})`;
  const line = own === undefined ? `#${flag.name}: ${yamlValue(flag.default)}` : `${flag.name}: ${own}`;
  return `${commented(help)}${line.trimEnd()}\n`;
}

/** A value is quoted unless it is a plain word. */
function yamlValue(text: string): string {
  return text === '' || /^[\w./-]+$/.test(text) ? text : JSON.stringify(text);
}

function commented(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + word.length < COLUMNS) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `# ${line}\n`).join('');
}
