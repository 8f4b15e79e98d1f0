/** Scrolls the table of a page as people do, and measures the time between two frames. */
import type { Page } from 'playwright-core';

interface Scrolled {
  scrollTop: number;
  readonly scrollHeight: number;
}

interface Frames {
  requestAnimationFrame(call: (ms: number) => void): number;
  /** The longest time between two frames so far, in milliseconds. */
  longestFrameMs?: number;
  isWatchingFrames?: boolean;
}

const SCROLLER = '.table-scroller';
const NOTCH_PIXELS = 100;
const NOTCHES = 60;
/** What a touchpad sends after a strong stroke: 3,000 pixels, and 4 % less each time. */
const STROKE_PIXELS = 3000;
const STROKE_EVENTS = 80;
const FRICTION = 0.96;
/** Browsers get one event of a wheel for each frame of 60 Hz. */
const EVENT_MS = 16;

/** The notches of a wheel that somebody turns fast, in pixels. */
export const wheel: readonly number[] = Array.from({ length: NOTCHES }, () => NOTCH_PIXELS);

/** A fling through 1,500 rows, in pixels. */
export const fling: readonly number[] = Array.from({ length: STROKE_EVENTS }, (_, at) =>
  Math.round(STROKE_PIXELS * FRICTION ** at),
);

/** Sends the events of a wheel to the table, from its top, and returns its longest frame, in milliseconds. */
export async function longestWheelFrame(page: Page, events: readonly number[]): Promise<number> {
  const scroller = page.locator(SCROLLER);
  await scroller.evaluate((one) => ((one as unknown as Scrolled).scrollTop = 0));
  await scroller.hover();
  await page.evaluate(watchFrames);
  for (const pixels of events) {
    await page.mouse.wheel(0, pixels);
    await new Promise((resolve) => setTimeout(resolve, EVENT_MS));
  }
  const longest = await page.evaluate(() => {
    const frames = globalThis as unknown as Frames;
    frames.isWatchingFrames = false;
    return frames.longestFrameMs ?? 0;
  });
  const reached = await scroller.evaluate((one) => (one as unknown as Scrolled).scrollTop);
  if (reached === 0) throw new Error('the wheel has not scrolled the table');
  return longest;
}

/** Runs inside of the page. */
function watchFrames(): void {
  const frames = globalThis as unknown as Frames;
  frames.longestFrameMs = 0;
  frames.isWatchingFrames = true;
  let before: number | undefined;
  const watch = (nowMs: number): void => {
    frames.longestFrameMs = Math.max(frames.longestFrameMs ?? 0, nowMs - (before ?? nowMs));
    before = nowMs;
    if (frames.isWatchingFrames === true) frames.requestAnimationFrame(watch);
  };
  frames.requestAnimationFrame(watch);
}

/** Scrolls the table from its top to its end, and returns the longest time between two frames, in milliseconds. */
export function longestFrame(page: Page, seconds: number): Promise<number> {
  return page.locator(SCROLLER).evaluate(async (element, durationMs) => {
    const scroller = element as unknown as Scrolled;
    const nextFrame = (): Promise<number> =>
      new Promise((resolve) =>
        (
          globalThis as unknown as { requestAnimationFrame(call: (ms: number) => void): void }
        ).requestAnimationFrame(resolve),
      );
    scroller.scrollTop = 0;
    for (let settled = 0; settled < 10; settled += 1) await nextFrame();
    const startedMs = await nextFrame();
    let [beforeMs, longest] = [startedMs, 0];
    while (beforeMs - startedMs < durationMs) {
      scroller.scrollTop = (scroller.scrollHeight * (beforeMs - startedMs)) / durationMs;
      const nowMs = await nextFrame();
      longest = Math.max(longest, nowMs - beforeMs);
      beforeMs = nowMs;
    }
    return longest;
  }, seconds * 1000);
}
