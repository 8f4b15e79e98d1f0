/** Text in the language of manual pages: man(7). */

/** Escapes text. A hyphen stays a hyphen that can be copied into a shell. */
export function roffText(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^(?=[.'])/gm, String.raw`\&`);
}

export interface PageTitle {
  readonly name: string;
  readonly section: number;
  /** Version of the program. */
  readonly version: string;
  /** One line without a full stop. */
  readonly summary: string;
}

/** The head of a page, with its NAME section. */
export function pageHead({ name, section, version, summary }: PageTitle): string {
  const words = [name.toUpperCase(), String(section), '', `Tinkerbell ${version}`, 'Tinkerbell'];
  return `.TH ${words.map((word) => `"${roffText(word)}"`).join(' ')}\n${heading('NAME')}${roffText(`${name} - ${summary}`)}\n`;
}

export function heading(text: string): string {
  return `.SH "${roffText(text)}"\n`;
}

export function subheading(text: string): string {
  return `.SS "${roffText(text).replaceAll('"', String.raw`\(dq`)}"\n`;
}

export function paragraph(text: string): string {
  return `.PP\n${roffText(text)}\n`;
}

/** A term in bold with its description. */
export function item(term: string, description: string): string {
  return `.TP\n\\fB${roffText(term)}\\fP\n${roffText(description)}\n`;
}

/** Lines as they are. */
export function verbatim(text: string): string {
  return `.PP\n.nf\n${roffText(text)}\n.fi\n`;
}
