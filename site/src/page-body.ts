import { Marked, Renderer, type Token } from 'marked';
import { escapeHtml } from './escape.ts';
import type { ParsedPage } from './parse-page.ts';

/**
 * The HTML of a page. Raw HTML of the document becomes visible text, and its comments disappear. Addresses come only from `hrefs`:
 * a link without one becomes its text.
 */
export function pageBody(page: ParsedPage, hrefs: ReadonlyMap<Token, string>): string {
  const marked = new Marked();
  marked.use({
    renderer: {
      heading(token) {
        const { depth } = token;
        const { anchor = '' } = page.headings.get(token) ?? {};
        const id = escapeHtml(anchor);
        const mark = `<a class="anchor" href="#${encodeURIComponent(anchor)}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(token.tokens)} ${mark}</h${depth}>\n`;
      },
      link(token) {
        const text = this.parser.parseInline(token.tokens);
        const href = hrefs.get(token);
        return href === undefined ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
      },
      image(token) {
        const src = hrefs.get(token);
        const alt = escapeHtml(token.text);
        return src === undefined ? alt : `<img src="${escapeHtml(src)}" alt="${alt}">`;
      },
      html({ text, block }) {
        const visible = escapeHtml(withoutComments(text));
        return block && visible.trim() !== '' ? `<p>${visible}</p>\n` : visible;
      },
      // marked's own renderer does not escape what follows a raw <script> or <pre>.
      text(token) {
        return 'tokens' in token && token.tokens !== undefined
          ? this.parser.parseInline(token.tokens)
          : escapeHtml(token.text);
      },
      // A wide table scrolls by itself on a phone.
      table(token) {
        return `<div class="wide">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
  });
  const title = page.hasTitle ? '' : `<h1>${escapeHtml(page.title)}</h1>\n`;
  return title + marked.parser([...page.tokens]);
}

function withoutComments(html: string): string {
  return html.replaceAll(/<!--[\s\S]*?-->/g, '');
}
