/** Reads the blocks of commands in a page of Markdown. The first word after a fence names its content. */

export interface Command {
  /** One or several lines of shell. */
  readonly text: string;
  /** The output that a transcript shows below it. */
  readonly output: readonly string[];
}

export type Block =
  | { readonly kind: 'run'; readonly line: number; readonly commands: readonly Command[] }
  /** Flags of the server without the command. */
  | { readonly kind: 'flags'; readonly line: number; readonly text: string }
  /** A file that the commands below it use. The line above has its name in backquotes and a colon. */
  | { readonly kind: 'file'; readonly line: number; readonly name: string; readonly text: string }
  | { readonly kind: 'not-run'; readonly line: number; readonly reason: string }
  | { readonly kind: 'wrong'; readonly line: number; readonly problem: string };

const LANGUAGES_TO_READ = ['yaml', 'text', 'json', 'mermaid'];
const FENCE = /^```(\S*)(?: (.*))?$/;

/** Pure. Every fence must name a language, so that no command is skipped for want of one. */
export function blocksOf(page: string): readonly Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = FENCE.exec(lines[at] ?? '');
    if (fence === null) {
      if (/^ {4}\S/.test(lines[at] ?? '') && lines[at - 1] === '')
        blocks.push({ kind: 'wrong', line: at + 1, problem: 'indented code; use a fence with a language' });
      continue;
    }
    const end = lines.indexOf('```', at + 1);
    if (end < 0) {
      blocks.push({ kind: 'wrong', line: at + 1, problem: 'the fence has no end' });
      break;
    }
    const content = lines.slice(at + 1, end);
    const [, language = '', note = ''] = fence;
    const above = lines.slice(0, at).findLast((line) => line !== '') ?? '';
    const block = blockOf({ line: at + 1, language, note, above, content });
    if (block !== undefined) blocks.push(block);
    at = end;
  }
  return blocks;
}

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly note: string;
  /** The last line with text before it. */
  readonly above: string;
  readonly content: readonly string[];
}

function blockOf({ line, language, note, above, content }: Fence): Block | undefined {
  const reason = /^no-run: (.+)$/.exec(note)?.[1];
  if (reason !== undefined) return { kind: 'not-run', line, reason };
  if (note !== '') return { kind: 'wrong', line, problem: `"${note}"; write no-run: and the reason` };
  const name = /^`([\w.-]+)`[^`]*:$/.exec(above)?.[1];
  if (language === 'yaml' && name !== undefined)
    return { kind: 'file', line, name, text: `${content.join('\n')}\n` };
  if (language === 'flags') return { kind: 'flags', line, text: content.join('\n') };
  if (language === 'sh') return { kind: 'run', line, commands: scriptCommands(content) };
  if (language === 'console') return { kind: 'run', line, commands: transcriptCommands(content) };
  if (LANGUAGES_TO_READ.includes(language)) return undefined;
  return { kind: 'wrong', line, problem: `the language "${language}"; use sh, console, flags, yaml or text` };
}

/** Returns one command per line. A backslash at its end continues it. */
function scriptCommands(lines: readonly string[]): readonly Command[] {
  return lines
    .join('\n')
    .split(/(?<!\\)\n/)
    .filter((text) => text.trim() !== '' && !text.startsWith('#'))
    .map((text) => ({ text, output: [] }));
}

function transcriptCommands(lines: readonly string[]): readonly Command[] {
  const commands: { text: string; output: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('$ ')) commands.push({ text: line.slice(2), output: [] });
    else commands.at(-1)?.output.push(line);
  }
  return commands;
}
