/** Whether a file can be fetched, asked without fetching it. */
const LIMIT_MS = 10_000;

/** Returns why not, or undefined. */
export async function problemOfUrl(url: string, signal: AbortSignal): Promise<string | undefined> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.any([signal, limit]) });
    return answer.ok ? undefined : `the server answered ${answer.status}; copy the file there`;
  } catch (thrown) {
    if (limit.aborted) return `no answer within ${LIMIT_MS / 1000} s`;
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    return cause instanceof Error ? cause.message : String(cause);
  }
}
