/** Answered requests by method and status. Named when they are read: a name for each request costs more than its count. */
export interface RequestCounts {
  add(method: string, status: number): void;
  /** In the form `/metrics` shows. */
  named(): readonly (readonly [name: string, count: number])[];
}

/** Methods are those that Node's parser knows, and statuses ours: both are few. */
export function createRequestCounts(): RequestCounts {
  const answered = new Map<string, Map<number, number>>();
  return {
    add(method, status) {
      const counts = answered.get(method) ?? new Map<number, number>();
      if (counts.size === 0) answered.set(method, counts);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    },
    named: () =>
      [...answered].flatMap(([method, counts]) =>
        [...counts].map(
          ([status, count]) =>
            [`http_server_requests_total{method="${method}",status_code="${status}"}`, count] as const,
        ),
      ),
  };
}
