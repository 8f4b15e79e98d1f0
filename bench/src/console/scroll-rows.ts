/** How smooth the table of machines scrolls: with a wheel, with a fling, and from its top to its end in 4 s. */
import type { Browser, Page } from 'playwright-core';
import { rowOf, type BenchContext, type Row } from '../benchmark.ts';
import { median } from '../rounds.ts';
import { longestTask } from './measured-page.ts';
import { fling, longestFrame, longestWheelFrame, wheel } from './scrolling.ts';

const WHOLE_SECONDS = 4;
/** Three frames of 60 Hz. */
const GOAL_MS = 50;

interface Motion {
  readonly name: string;
  readonly longest: (page: Page) => Promise<number>;
}

const motions: readonly Motion[] = [
  { name: 'longest frame while a wheel turns', longest: (page) => longestWheelFrame(page, wheel) },
  { name: 'longest frame of a fling', longest: (page) => longestWheelFrame(page, fling) },
  {
    name: 'longest frame while the whole table scrolls',
    longest: (page) => longestFrame(page, WHOLE_SECONDS),
  },
];

/** On a busy machine, other programs make frames long. The list and the processor time of the page show what is ours. */
export async function scrollRows(context: BenchContext, browser: Browser, page: Page): Promise<Row[]> {
  const list = await plainList(page);
  const rows: Row[] = [];
  for (const { name, longest } of motions) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < (context.quick ? 2 : 5); round += 1) {
      await list.bringToFront();
      theirs.push(await longest(list));
      await page.bringToFront();
      ours.push(await longest(page));
    }
    context.say(`${name}: ${ours.map((one) => one.toFixed(0)).join(', ')} ms`);
    rows.push(
      rowOf({
        name,
        value: median(ours),
        unit: 'ms',
        better: 'lower',
        peer: { name: 'a list of the same texts', value: median(theirs) },
        goal: { value: GOAL_MS },
      }),
    );
  }
  await list.close();
  return [...rows, await taskRow(browser, page)];
}

/** The page of a program without a framework: all texts as lines, which the browser draws by itself. */
async function plainList(page: Page): Promise<Page> {
  const texts = await page.locator('tbody tr').allInnerTexts();
  const rowCount = Number(await page.getByRole('table').first().getAttribute('aria-rowcount'));
  const list = await page.context().newPage();
  await list.setViewportSize({ width: 1440, height: 900 });
  const line = (at: number): string => (texts[at % texts.length] ?? '').replaceAll(/\s+/g, ' ');
  const lines = Array.from({ length: rowCount }, (_, at) => `<p>${line(at)}</p>`).join('');
  const style = '.table-scroller{height:700px;overflow:auto}p{height:40px;margin:0;font:14px sans-serif}';
  await list.setContent(`<style>${style}</style><div class="table-scroller">${lines}</div>`);
  return list;
}

/** Tracing makes frames longer. */
async function taskRow(browser: Browser, page: Page): Promise<Row> {
  const tasks: number[] = [];
  for (let round = 0; round < 2; round += 1)
    for (const { longest } of motions) tasks.push(await longestTask(browser, page, () => longest(page)));
  return rowOf({
    name: 'most processor time of the page for one of these frames',
    value: Math.max(...tasks),
    unit: 'ms',
    better: 'lower',
    goal: { value: GOAL_MS },
  });
}
