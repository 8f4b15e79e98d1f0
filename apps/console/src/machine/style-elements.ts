/**
 * The terminal writes `<style>` elements, which the policy of the page forbids, even empty ones. Sheets made by a script are allowed, so
 * the terminal gets other elements, whose text goes there.
 */
export function withoutStyleElements<Made>(make: () => Made): Made {
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? sheetHolder(create('span')) : create(name, options);
  try {
    return make();
  } finally {
    document.createElement = create;
  }
}

function sheetHolder(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  element.hidden = true;
  Object.defineProperty(element, 'textContent', {
    get: () => '',
    set(css: string) {
      sheet.replaceSync(css);
    },
  });
  element.remove = () => {
    HTMLElement.prototype.remove.call(element);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  };
  return element;
}
