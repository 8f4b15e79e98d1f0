/** Whether the server and its parts work, and how to switch on what does not run. */
import { useQuery } from '@tanstack/react-query';
import { signInWays } from '../api/session.ts';
import { PageHead } from '../parts/page-head.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { bytesText, durationText } from '../parts/relative-time.ts';
import { checksIn, metricsIn } from './server-texts.ts';

const POLL_MS = 5000;

/** The flag that switches on a part that does not run. */
const flags: Readonly<Record<string, string>> = {
  bmc: '--enable-rufio-controller',
  serial: '--enable-secondstar',
  workflows: '--enable-tink-server',
  boot: '--enable-smee',
  metadata: '--enable-tootles',
  registry: '--registry-enabled',
  controller: '--enable-tink-controller',
  gateway: '--enable-gateway',
};

async function textAt(path: string): Promise<string> {
  const response = await fetch(path);
  return response.text();
}

export function ServerPage() {
  const options = { refetchInterval: POLL_MS } as const;
  const ready = useQuery({ queryKey: ['readyz'], queryFn: () => textAt('/readyz?verbose'), ...options });
  const metrics = useQuery({ queryKey: ['metrics'], queryFn: () => textAt('/metrics'), ...options });
  const ways = useQuery({ queryKey: ['sign-in ways'], queryFn: signInWays });
  const checks = checksIn(ready.data ?? '');
  const values = metricsIn(metrics.data ?? '');
  const startedMs = (values.get('process_start_time_seconds') ?? 0) * 1000;
  const off = Object.entries(flags).filter(
    ([name]) => ready.data !== undefined && !checks.some((one) => one.name === name),
  );
  return (
    <div className="page">
      <PageHead title="Server" beside={<span className="count">{ways.data?.version}</span>} />
      <div className="columns">
        <section className="card">
          <h2>Parts</h2>
          <ul className="rows">
            {checks.map(({ name, failure }) => (
              <li key={name}>
                <span className="strong">{name}</span>
                <StateBadge state={failure === '' ? 'ready' : 'Failed'} />
                <span className="row-text">{failure}</span>
              </li>
            ))}
            {off.map(([name, flag]) => (
              <li key={name}>
                <span>{name}</span>
                <span className="quiet">does not run; switch it on with</span>
                <code>{flag}</code>
              </li>
            ))}
          </ul>
        </section>
        <section className="card">
          <h2>Numbers</h2>
          <dl className="facts">
            <div>
              <dt>Runs for</dt>
              <dd>{startedMs === 0 ? '–' : durationText(new Date().getTime() - startedMs)}</dd>
            </div>
            <div>
              <dt>Memory</dt>
              <dd>{bytesText(values.get('process_resident_memory_bytes') ?? 0)}</dd>
            </div>
            <div>
              <dt>Processor time</dt>
              <dd>{durationText((values.get('process_cpu_seconds_total') ?? 0) * 1000)}</dd>
            </div>
            <div>
              <dt>Event loop, 99 %</dt>
              <dd>{durationText((values.get('nodejs_eventloop_lag_p99_seconds') ?? 0) * 1000)}</dd>
            </div>
          </dl>
        </section>
      </div>
      <TinkCommand command={`curl -s '${location.origin}/readyz?verbose'`} />
    </div>
  );
}
