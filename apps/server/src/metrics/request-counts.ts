/** Answered requests by route, method and status, and how long they took. Each combination is resolved once, not for each request. */
import {
  MetricSet,
  type CounterChild,
  type GaugeChild,
  type HistogramChild,
  type MetricFamilies,
} from '@tinkerbell/platform-metrics';
import { createHttpMetrics, createJobMetrics } from './server-metrics.ts';

export interface RequestCounts {
  began(route: string): void;
  /** It was left to another route. */
  declined(route: string): void;
  answered(route: string, request: { readonly method: string }, answer: Answered): void;
  /** What `/http/metrics` shows. */
  readonly all: MetricFamilies;
  /** What upstream reports of the routes that boot machines. */
  readonly jobs: MetricFamilies;
}

interface Answered {
  readonly status: number;
  /** The time since the request began. */
  readonly seconds: number;
}

interface Answers {
  readonly total: CounterChild;
  readonly seconds: HistogramChild;
}

interface Jobs extends Answers {
  readonly inProgress: GaugeChild;
}

interface RouteCounts {
  readonly inProgress: GaugeChild;
  readonly byMethod: Map<string, Map<number, Answers>>;
  /** Present for a route whose answers boot machines. */
  readonly jobs: Jobs | undefined;
}

/** Upstream's jobs. */
const JOB_ROUTES: readonly string[] = ['ipxe-script', 'ipxe-binary', 'pxe-files'];

/** Routes are named in the code, methods are those that Node's parser knows, and statuses ours: all are few. */
export function createRequestCounts(): RequestCounts {
  const [all, jobSet] = [new MetricSet(), new MetricSet()];
  const metrics = createHttpMetrics(all);
  const jobs = jobsOf(jobSet);
  const routes = new Map<string, RouteCounts>();
  const countsOf = (route: string): RouteCounts => {
    let counts = routes.get(route);
    if (counts === undefined) {
      const inProgress = metrics.inProgress.with({ route });
      counts = { inProgress, byMethod: new Map(), jobs: JOB_ROUTES.includes(route) ? jobs : undefined };
      routes.set(route, counts);
    }
    return counts;
  };
  const answersOf = (route: string, method: string, status: number): Answers => {
    const { byMethod } = countsOf(route);
    let byStatus = byMethod.get(method);
    if (byStatus === undefined) byMethod.set(method, (byStatus = new Map()));
    let answers = byStatus.get(status);
    if (answers === undefined) {
      const labels = { method, status_code: String(status) };
      answers = { total: metrics.requests.with(labels), seconds: metrics.seconds.with({ route, ...labels }) };
      byStatus.set(status, answers);
    }
    return answers;
  };
  const progressed = ({ inProgress, jobs: own }: RouteCounts, amount: number): void => {
    inProgress.add(amount);
    own?.inProgress.add(amount);
  };
  return {
    all,
    jobs: jobSet,
    began: (route) => progressed(countsOf(route), 1),
    declined: (route) => progressed(countsOf(route), -1),
    answered(route, { method }, { status, seconds }) {
      const counts = countsOf(route);
      progressed(counts, -1);
      count(answersOf(route, method, status), seconds);
      if (counts.jobs !== undefined) count(counts.jobs, seconds);
    },
  };
}

function count(answers: Answers, tookSeconds: number): void {
  answers.total.add();
  answers.seconds.observe(tookSeconds);
}

/** Zeros before the first request too, as upstream has them: a rate needs a value to begin with. */
function jobsOf(set: MetricSet): Jobs {
  const { requests, inProgress, seconds } = createJobMetrics(set);
  const labels = { from: 'http', op: 'file' };
  return {
    total: requests.with(labels),
    inProgress: inProgress.with(labels),
    seconds: seconds.with(labels),
  };
}
