/**
 * The terminal writes `<style>` elements, which the policy of the page forbids. Sheets made by a script are allowed, so their text goes
 * there. The elements stay empty.
 */
export function withoutStyleElements<Made>(make: () => Made): Made {
  const create = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    return element instanceof HTMLStyleElement ? redirected(element) : element;
  }) as typeof document.createElement;
  try {
    return make();
  } finally {
    document.createElement = create;
  }
}

function redirected(element: HTMLStyleElement): HTMLStyleElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const text = { get: () => '', set: (css: string) => sheet.replaceSync(css), configurable: true };
  Object.defineProperties(element, { textContent: text, innerHTML: text });
  element.remove = () => {
    HTMLElement.prototype.remove.call(element);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  };
  return element;
}
