/** WatchJob over HTTP: one job per line, or per event for clients that accept text/event-stream. */
import type { Job } from '@tinkerbell/provisioning';
import { delay, StreamResponse, type HttpContext, type HttpRequest } from '@tinkerbell/platform-contract';
import type { ProvisioningCaller } from './access.ts';
import type { ProvisioningDeps } from './job-store.ts';
import { problemOf } from './problem-response.ts';
import { checkedRequest } from './refused-request.ts';
import { watchJob } from './watch-job.ts';

/** Proxies close a connection that is quiet for a minute. */
const KEEP_ALIVE_MS = 15_000;

interface Watcher {
  readonly request: HttpRequest;
  readonly caller: ProvisioningCaller;
  readonly context: HttpContext;
}

interface Form {
  readonly mediaType: string;
  readonly write: (event: 'job' | 'problem', value: object) => string;
  /** An empty message. */
  readonly quiet: string;
}

const lines: Form = {
  mediaType: 'application/x-ndjson',
  write: (_event, value) => `${JSON.stringify(value)}\n`,
  quiet: '\n',
};

/** WHATWG HTML, section 9.2. */
const events: Form = {
  mediaType: 'text/event-stream',
  write: (event, value) => `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`,
  quiet: ':\n\n',
};

/** Rejects with an RpcError when there is nothing to watch. */
export async function watchResponse(
  deps: ProvisioningDeps,
  value: unknown,
  { request, caller, context }: Watcher,
): Promise<Response> {
  await deps.access.identityOf(caller, 'WatchJob');
  const { job_id: jobId } = await checkedRequest('WatchJob', value);
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const jobs = watchJob(deps, jobId, signal);
  const first = await jobs.next();
  const form = (request.headers.get('accept') ?? '').includes(events.mediaType) ? events : lines;
  const texts = textsOf(deps, { form, jobs, first });
  const encoder = new TextEncoder();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const text = await texts.next();
      if (text.done === true) controller.close();
      else controller.enqueue(encoder.encode(text.value));
    },
    async cancel() {
      ended.abort();
      // Also needed where nobody reads on, and an abort alone would go unnoticed.
      await Promise.all([texts.return(undefined), jobs.return(undefined)]);
    },
  };
  const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  return new StreamResponse(body, {
    headers: { 'content-type': form.mediaType, 'cache-control': 'no-store' },
  });
}

interface Told {
  readonly form: Form;
  readonly jobs: AsyncGenerator<Job>;
  readonly first: IteratorResult<Job>;
}

/** An error that ends a watch early is sent as its last text, because the status of the response is already sent. */
async function* textsOf(deps: ProvisioningDeps, { form, jobs, first }: Told): AsyncGenerator<string> {
  try {
    for (let one = first; one.done !== true;) {
      yield form.write('job', one.value);
      const next = jobs.next();
      let got = await orQuiet(deps, next);
      for (; got === undefined; got = await orQuiet(deps, next)) yield form.quiet;
      one = got;
    }
  } catch (thrown) {
    const known = problemOf(thrown);
    if (known === undefined) throw thrown;
    yield form.write('problem', known);
  }
}

/** Undefined when nothing arrived for a while. */
async function orQuiet<Value>({ clock }: ProvisioningDeps, next: Promise<Value>): Promise<Value | undefined> {
  const came = new AbortController();
  try {
    return await Promise.race([next, delay(clock, KEEP_ALIVE_MS, came.signal).then(() => undefined)]);
  } finally {
    came.abort();
  }
}
