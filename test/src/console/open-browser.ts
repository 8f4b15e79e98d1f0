/** Debian's Chromium for tests. */
import { chromium, type Browser, type Page } from 'playwright-core';
import { localAuthorization } from '@tinkerbell/sandbox/local-authorization';
import type { ServerChild } from '../start-server.ts';

export type OpenBrowser = Browser & AsyncDisposable;

/** Root cannot use Chromium's own sandbox. */
export async function openBrowser(): Promise<OpenBrowser> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}

/** Signs in with a token, else as the administrator. */
export async function signInWithToken(
  page: Page,
  { server }: { readonly server: Pick<ServerChild, 'url' | 'dataDirectory'> },
  token?: string,
): Promise<void> {
  const own = localAuthorization(server.dataDirectory).authorization.replace('Bearer ', '');
  await page.goto(`${server.url}/console/`);
  await page.getByLabel('Token').fill(token ?? own);
  await page.getByRole('button', { name: 'Sign in with this token' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}
