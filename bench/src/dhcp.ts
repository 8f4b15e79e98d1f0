import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { highestServed } from './capacity.ts';
import { RESERVATIONS, startDhcpServer, startKea, startMinimal, type Subject } from './dhcp-subjects.ts';
import { MINIMAL_DHCP } from './minimal-dhcp.ts';
import { measure, offerDelays, REACHED_SHARE, type OfferDelays, type Trial } from './perfdhcp.ts';
import { alternate, median } from './rounds.ts';
import { needProgram, residentMegabytes, untilIdle } from './running-program.ts';

/** A rate counts as served when fewer exchanges than this share were lost. */
const LOSS_LIMIT = 0.01;
/**
 * The share of the rate that a server was found to serve. There it has spare time, so the delays of its
 * answers are meaningful.
 */
const DELAY_SHARE = 0.5;
const DELAY_ROUNDS = 5;
const DELAY_P99_GOAL_MS = 1;
const RESIDENT_GOAL_MB = 150;
const SEARCH = { firstRate: 6000, lowestRate: 100, growth: 1.5, halvings: 3 } as const;

export const dhcpBenchmark: Benchmark = {
  name: 'dhcp',
  summary: `full DHCP exchanges through a relay address with ${RESERVATIONS.toLocaleString('en-US')} reservations, less than 1 % lost; beside Kea`,
  async run(context) {
    needProgram('perfdhcp', 'kea-admin');
    const [ours, kea] = [await startDhcpServer(context), await startKea(context)];
    const minimal = await startMinimal(context);
    const seconds = context.quick ? 1 : 3;
    // The first seconds of each server are slower than the rest.
    for (const subject of [ours, kea, minimal])
      await measure(context, subject, { rate: SEARCH.firstRate / 2, seconds });
    const search = (subject: Subject) => () => findCapacity(context, subject, seconds);
    const found = await alternate(context.quick ? 1 : 3, {
      ours: search(ours),
      kea: search(kea),
      minimal: search(minimal),
    });
    const rateOf = (name: keyof typeof found) =>
      median(found[name].map(({ exchangesPerSecond }) => exchangesPerSecond)) * DELAY_SHARE;
    const delay = (subject: Subject, rate: number) => async () => {
      // What the server before it still records would delay this one.
      await measure(context, subject, { rate, seconds });
      const delays = await offerDelays(context, subject, rate);
      context.say(
        `${subject.name} at ${Math.round(rate)}/s: 99 of 100 offers within ${delays.offerP99Milliseconds.toFixed(2)} ms`,
      );
      return delays;
    };
    const delaysAt = (rates: Each<number>) =>
      alternate(context.quick ? 1 : DELAY_ROUNDS, {
        ours: delay(ours, rates.ours),
        kea: delay(kea, rates.kea),
        minimal: delay(minimal, rates.minimal),
      });
    const halves = { ours: rateOf('ours'), kea: rateOf('kea'), minimal: rateOf('minimal') };
    const own = await delaysAt(halves);
    // At its own half, the faster server has more to do than its peer. At one rate for all, delays compare.
    const equal = await delaysAt({ ours: halves.kea, kea: halves.kea, minimal: halves.kea });
    await untilIdle(context);
    return [
      ...rateRows(found),
      ...delayRows(own, 'its own rate'),
      ...delayRows(equal, "Kea's rate"),
      memoryRow({ ours, kea, minimal }),
    ];
  },
};

async function findCapacity(context: BenchContext, subject: Subject, seconds: number): Promise<Trial> {
  const best = await highestServed(SEARCH, async (rate) => {
    const trial = await measure(context, subject, { rate, seconds });
    const { exchangesPerSecond, lost } = trial;
    context.say(
      `${subject.name} ${Math.round(rate)}/s: ${Math.round(exchangesPerSecond)}/s, ${(lost * 100).toFixed(2)} % lost`,
    );
    return lost < LOSS_LIMIT && exchangesPerSecond > rate * REACHED_SHARE ? trial : undefined;
  });
  if (best === undefined)
    throw new Error(`${subject.name} answers nothing: ${subject.program.output().slice(-2000)}`);
  return best;
}

type Each<Value> = Readonly<Record<'ours' | 'kea' | 'minimal', Value>>;

/** Of the medians of a field. */
function comparing<Field extends string>({
  ours,
  kea,
  minimal,
}: Each<readonly Readonly<Record<Field, number>>[]>) {
  const of = (trials: readonly Readonly<Record<Field, number>>[], field: Field) =>
    median(trials.map((trial) => trial[field]));
  return (field: Field) => ({
    value: of(ours, field),
    peer: { name: 'Kea', value: of(kea, field) },
    floor: { name: MINIMAL_DHCP, value: of(minimal, field) },
  });
}

function rateRows(found: Each<readonly Trial[]>): Row[] {
  const compared = comparing(found);
  return [
    rowOf({
      name: 'exchanges per second',
      ...compared('exchangesPerSecond'),
      unit: '/s',
      better: 'higher',
      goal: { ratio: 3 },
    }),
    rowOf({
      name: 'processor time per exchange',
      ...compared('processorMicroseconds'),
      unit: 'us',
      better: 'lower',
      goal: { ratio: 3 },
    }),
  ];
}

function delayRows(delays: Each<readonly OfferDelays[]>, whole: string): Row[] {
  const compared = comparing(delays);
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    rowOf({
      ...row,
      name: `DISCOVER to OFFER at half of ${whole}, mean`,
      ...compared('offerMilliseconds'),
      goal: { none: 'the slowest count' },
    }),
    rowOf({
      ...row,
      name: `DISCOVER to OFFER at half of ${whole}, 99th percentile`,
      ...compared('offerP99Milliseconds'),
      goal: { value: DELAY_P99_GOAL_MS },
    }),
  ];
}

function memoryRow({ ours, kea, minimal }: Each<Subject>): Row {
  return rowOf({
    name: 'resident memory',
    value: residentMegabytes(ours.program.pid),
    unit: 'MB',
    better: 'lower',
    peer: { name: 'Kea', value: residentMegabytes(kea.program.pid) },
    floor: { name: MINIMAL_DHCP, value: residentMegabytes(minimal.program.pid) },
    goal: { value: RESIDENT_GOAL_MB },
  });
}
