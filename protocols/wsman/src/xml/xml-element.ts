/** An element without the prefixes of its namespaces. The classes of CIM have no two members that differ by namespace only. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Without that of the children, and trimmed. */
  readonly text: string;
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** Returns the text of a child. Undefined when there is no such child. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text;
}

/** Returns the first element with the name, depth first. */
export function findElement(element: XmlElement, name: string): XmlElement | undefined {
  if (element.name === name) return element;
  for (const child of element.children) {
    const found = findElement(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
