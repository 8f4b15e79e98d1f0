/** Whether the server and its parts work, and how to switch on what does not run. */
import { useQuery } from '@tanstack/react-query';
import { signInWays } from '../api/session.ts';
import { PageHead } from '../parts/page-head.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { durationText } from '../parts/relative-time.ts';
import { Plots } from './plots.tsx';
import { checksIn, totalOf, type Check } from './server-texts.ts';
import { useHistory, useSamples } from './use-metrics.ts';

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
  const samples = useSamples();
  const history = useHistory();
  const ways = useQuery({ queryKey: ['sign-in ways'], queryFn: signInWays });
  const checks = checksIn(ready.data ?? '');
  const startedMs = totalOf(samples, 'process_start_time_seconds') * 1000;
  return (
    <div className="page">
      <PageHead title="Server" beside={<span className="count">{ways.data?.version}</span>} />
      <dl className="fact-line">
        <div>
          <dt>Runs for</dt>
          <dd>{startedMs === 0 ? '–' : durationText(new Date().getTime() - startedMs)}</dd>
        </div>
        <div>
          <dt>Processor time</dt>
          <dd>{durationText(totalOf(samples, 'process_cpu_seconds_total') * 1000)}</dd>
        </div>
        <div>
          <dt>Open watches and logs</dt>
          <dd>{totalOf(samples, 'api_open_streams')}</dd>
        </div>
      </dl>
      {history !== undefined && <Plots history={history} />}
      <Parts checks={checks} isKnown={ready.data !== undefined} />
      <TinkCommand command={`curl -s '${location.origin}/readyz?verbose'`} />
    </div>
  );
}

function Parts({ checks, isKnown }: { readonly checks: readonly Check[]; readonly isKnown: boolean }) {
  const off = Object.entries(flags).filter(([name]) => isKnown && !checks.some((one) => one.name === name));
  return (
    <section className="card">
      <h2>Parts</h2>
      <ul className="rows dense">
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
  );
}
