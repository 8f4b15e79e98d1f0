/** Reads files larger than the limit of one manifest, in pieces that keep their line numbers. */
import { readText } from '../files/unreadable.ts';
import { TinkFailure } from '../failure.ts';
import type { SourceFile } from '../manifests/manifest-files.ts';
import type { Terminal } from '../output/terminal.ts';

const BYTES_MAX = 256 * 1024 * 1024;
const DOCUMENTS_IN_PIECE = 500;

export async function largeSource(path: string, terminal: Pick<Terminal, 'readInput'>): Promise<SourceFile> {
  if (path === '-') return { name: 'standard input', text: await terminal.readInput() };
  const text = await readText(path);
  if (text.length > BYTES_MAX) throw new TinkFailure(`${path} is larger than ${BYTES_MAX} bytes`);
  return { name: path, text };
}

/** Each piece starts with as many empty lines as precede it in the file, so that problems keep their line numbers. */
export function manifestChunks({ name, text }: SourceFile): readonly SourceFile[] {
  const documents = text.split(/^---[ \t]*\r?\n/m);
  if (documents.length <= DOCUMENTS_IN_PIECE) return [{ name, text }];
  const pieces: SourceFile[] = [];
  let lines = 0;
  for (let at = 0; at < documents.length; at += DOCUMENTS_IN_PIECE) {
    const piece = documents.slice(at, at + DOCUMENTS_IN_PIECE).join('---\n');
    pieces.push({ name, text: '\n'.repeat(lines) + piece });
    lines += piece.split('\n').length;
  }
  return pieces;
}
