/** Lists jobs, newest first, page by page. */
import type { Workflow } from '@tinkerbell/resources';
import { refuse, type Result } from './failure.ts';
import { jobOf, type Job } from './job.ts';
import { PAGE_SIZE_DEFAULT } from './message-schemas.ts';
import type { ListJobsRequest } from './request.ts';

export interface JobPage {
  readonly jobs: readonly Job[];
  readonly next_page_token?: string;
}

/**
 * `device_id` is the name of a Hardware here. A job that is created between two pages is on neither, because
 * it is newer than the first.
 */
export function listJobs(workflows: readonly Workflow[], request: ListJobsRequest): Result<JobPage> {
  const after = request.page_token ?? '';
  if (after !== '' && !/^[0-9TZ:.-]*~[0-9A-Za-z]{26}$/.test(after))
    return refuse(
      'invalid-argument',
      'page_token: must be the next_page_token of the previous page',
      'page_token',
    );
  const found = workflows
    .flatMap((workflow) => jobOf(workflow) ?? [])
    .filter((job) => isWanted(job, request))
    .map((job) => ({ job, position: positionOf(job) }))
    .toSorted((a, b) => (a.position < b.position ? 1 : -1))
    .filter(({ position }) => after === '' || position < after);
  const size = request.page_size || PAGE_SIZE_DEFAULT;
  const page = found.slice(0, size);
  const last = page.at(-1);
  return {
    ok: true,
    value: {
      jobs: page.map(({ job }) => job),
      ...(found.length <= size || last === undefined ? {} : { next_page_token: last.position }),
    },
  };
}

function isWanted(job: Job, { device_id: device, state, user }: ListJobsRequest): boolean {
  return (
    (device === undefined || job.device_id === device) &&
    (state === undefined || job.state === state) &&
    (user === undefined || job.user === user)
  );
}

/** Never changes, so that a page starts where the previous one ended. */
function positionOf(job: Job): string {
  return `${job.created ?? ''}~${job.job_id}`;
}
