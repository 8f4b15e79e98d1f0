/**
 * Returns the template line that produced a line of the rendered text, or undefined if that is unknown. If rendering
 * neither added nor removed lines, it is the same line. Otherwise it is the only template line with the same text, if there is one.
 */
export function templateLineOf(template: string, rendered: string, line: number): number | undefined {
  const [from, to] = [template.split('\n'), rendered.split('\n')];
  if (from.length === to.length) return line;
  const text = to[line - 1];
  const first = text === undefined || text.trim() === '' ? -1 : from.indexOf(text);
  return first >= 0 && first === from.lastIndexOf(text ?? '') ? first + 1 : undefined;
}
