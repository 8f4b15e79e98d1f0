/**
 * The line of a template that a line of its rendered text came from, or undefined when that cannot be told: where rendering
 * neither added nor removed lines it is the same line; else it may be the only one that says just the same.
 */
export function templateLineOf(template: string, rendered: string, line: number): number | undefined {
  const [from, to] = [template.split('\n'), rendered.split('\n')];
  if (from.length === to.length) return line;
  const text = to[line - 1];
  const first = text === undefined || text.trim() === '' ? -1 : from.indexOf(text);
  return first >= 0 && first === from.lastIndexOf(text ?? '') ? first + 1 : undefined;
}
