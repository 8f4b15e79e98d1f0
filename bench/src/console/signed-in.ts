/** A window of Chromium that is signed in as the administrator, with an empty cache. */
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { localAuthorization } from '@tinkerbell/sandbox/local-authorization';

export interface Site {
  readonly browser: Browser;
  readonly url: string;
  readonly dataDirectory: string;
}

export async function signedIn(
  { browser, url, dataDirectory }: Site,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const token = localAuthorization(dataDirectory).authorization.replace('Bearer ', '');
  const response = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { origin: url, 'x-tinkerbell-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (!response.ok || value === '')
    throw new Error(`the console refuses to sign in: ${await response.text()}`);
  const context = await browser.newContext(options);
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  return context;
}
