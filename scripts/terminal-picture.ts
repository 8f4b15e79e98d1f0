/**
 * Makes the picture in the README: text on standard input becomes an SVG of a terminal on standard output.
 *
 *   npm run -s demo -- --firmware uefi | node_modules/.bin/node scripts/terminal-picture.ts > docs/demo.svg
 */
import { text } from 'node:stream/consumers';

const FONT_SIZE = 13;
const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 7.82;
const MARGIN = 18;

function escaped(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Time dim, the word after it bright, the rest plain, as the demo colours it on a terminal. */
function styled(line: string): string {
  const step = /^( +\d+\.\d s)(  )(\S+(?: \S+)?)( {2,}.*)$/.exec(line);
  if (step === null) return /^\S/.test(line) ? `<tspan class="h">${escaped(line)}</tspan>` : escaped(line);
  const [, time = '', gap = '', what = '', rest = ''] = step;
  return `<tspan class="t">${time}</tspan>${gap}<tspan class="w">${escaped(what)}</tspan>${escaped(rest)}`;
}

const lines = (await text(process.stdin)).replace(/\n+$/, '').split('\n');
const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHARACTER_WIDTH + 2 * MARGIN);
const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
const rows = lines.map(
  (line, index) =>
    `<text xml:space="preserve" x="${MARGIN}" y="${MARGIN + (index + 0.8) * LINE_HEIGHT}">${styled(line)}</text>`,
);
process.stdout
  .write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>
rect { fill: #16181d }
text { font: ${FONT_SIZE}px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace; fill: #d6d9df; white-space: pre }
.t { fill: #7d8590 } .w { fill: #56c8d8 } .h { fill: #ffffff; font-weight: bold }
</style>
<rect width="100%" height="100%" rx="8"/>
${rows.join('\n')}
</svg>
`);
