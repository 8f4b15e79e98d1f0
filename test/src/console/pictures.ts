/**
 * `npm run console:pictures [PART OF A NAME]`: pictures of every page of the web console with real data, in both themes, into `out/pictures`.
 * README shows two of them, which are copied to `docs/pictures` by hand: `machines-light-1440` and `machine-boot-light-1440`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, signInWithToken } from './open-browser.ts';
import { furnish, startConsoleSite } from './console-site.ts';
import { pagesOfSite } from './site-pages.ts';

const folder = join(import.meta.dirname, '../../../out/pictures');
const only = process.argv[2];
/** The fonts of the earlier pictures, and the Debian packages that have them. */
const FONTS = { Inter: 'fonts-inter', 'DejaVu Sans Mono': 'fonts-dejavu-core' };
const installed = execFileSync('fc-list', [':', 'family'], { encoding: 'utf8' });
for (const [font, debianPackage] of Object.entries(FONTS))
  if (!installed.includes(font))
    process.stderr.write(
      `the font ${font} is missing, so texts look different: apt-get install ${debianPackage}\n`,
    );
mkdirSync(folder, { recursive: true });
await using site = await startConsoleSite();
await furnish(site, 'open /dev/sda1: no such device');
for (const role of ['edit', 'provisioner', 'relay']) await site.tokenOf(role);
await using browser = await openBrowser();
for (const theme of ['light', 'dark'] as const) {
  for (const width of theme === 'light' ? [1440, 390] : [1440]) {
    const context = await browser.newContext({
      colorScheme: theme,
      viewport: { width, height: width === 390 ? 844 : 900 },
    });
    const page = await context.newPage();
    await page.goto(`${site.server.url}/console/`);
    await page.getByLabel('Token').waitFor();
    await page.screenshot({ path: join(folder, `sign-in-${theme}-${width}.png`) });
    await signInWithToken(page, site);
    for (const { name, path, ready } of pagesOfSite) {
      if (only !== undefined && !name.includes(only)) continue;
      await page.goto(`${site.server.url}/console${path}`);
      await page.getByText(ready).first().waitFor();
      // Lets the streams draw.
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
    }
    await context.close();
  }
}
process.stdout.write(`pictures are in ${folder}\n`);
