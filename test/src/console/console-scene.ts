/** A furnished server and a browser, for tests of the web console. */
import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { furnish, startConsoleSite, type ConsoleSite } from './console-site.ts';
import { openBrowser, signInWithToken } from './open-browser.ts';

export const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const PATIENCE_MS = 15_000;

/** Its end fails the test if the page broke its policy or threw. */
export type ScenePage = Page & AsyncDisposable & { readonly context: () => BrowserContext };

export interface ConsoleScene extends AsyncDisposable {
  readonly site: ConsoleSite;
  /** The address of a page of the console. */
  at(path: string): string;
  /** A window of a person without cookies. */
  freshPage(): Promise<ScenePage>;
  /** A window of the administrator (default: the overview). */
  adminPage(path?: string): Promise<ScenePage>;
}

export async function openScene(...site: Parameters<typeof startConsoleSite>): Promise<ConsoleScene> {
  await using open = new AsyncDisposableStack();
  const made = open.use(await startConsoleSite(...site));
  await furnish(made);
  const browser = open.use(await openBrowser());
  const kept = open.move();
  const at = (path: string): string => `${made.server.url}/console${path}`;
  const freshPage = async (): Promise<ScenePage> => {
    const context = await browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    return withProblems(await context.newPage());
  };
  return {
    site: made,
    at,
    freshPage,
    async adminPage(path = '/') {
      const page = await freshPage();
      await signInWithToken(page, made);
      if (path !== '/') await page.goto(at(path));
      return page;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function withProblems(page: Page): ScenePage {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
  });
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await page.context().close();
      assert.deepEqual(problems, []);
    },
  });
}

/** Fills in why, if given, and presses the button of the open dialog. */
export async function confirm(page: Page, why = ''): Promise<void> {
  const dialog = page.getByRole('dialog');
  if (why !== '') await dialog.getByLabel(/Why/).fill(why);
  await dialog.locator('button[type=submit]').click();
  await dialog.waitFor({ state: 'detached' });
}
