/** The state of a workflow, an action, a boot or a power supply, as a word with a colour. */
const tones: Readonly<Record<string, string>> = {
  SUCCESS: 'good',
  Completed: 'good',
  on: 'good',
  done: 'good',
  True: 'good',
  ready: 'good',
  RUNNING: 'busy',
  PREPARING: 'busy',
  POST: 'busy',
  Running: 'busy',
  underway: 'busy',
  FAILED: 'bad',
  TIMEOUT: 'bad',
  Failed: 'bad',
  stopped: 'bad',
  False: 'bad',
  CANCELLED: 'warn',
};

export function StateBadge({ state }: { readonly state: string }) {
  if (state === '') return <span className="quiet">–</span>;
  const tone = state.endsWith('(paused)') ? 'warn' : (tones[state] ?? 'calm');
  return <span className={`badge ${tone}`}>{state.toLowerCase()}</span>;
}
