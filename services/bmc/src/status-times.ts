/** RFC 3339 in seconds, as Kubernetes writes times. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
