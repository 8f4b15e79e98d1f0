/**
 * Anchors of headings as GitHub makes them: lower case, without punctuation, hyphens for spaces. A repeated heading gets `-1`, `-2`
 * and so on, unless another heading has that name already.
 */
export function anchorsOf(headings: readonly string[]): string[] {
  const uses = new Map<string, number>();
  return headings.map((heading) => {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{Nd}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    let count = uses.get(name) ?? 0;
    while (uses.has(anchor)) {
      count += 1;
      anchor = `${name}-${count}`;
    }
    uses.set(name, count);
    uses.set(anchor, uses.get(anchor) ?? 0);
    return anchor;
  });
}
