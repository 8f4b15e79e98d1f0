import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { Workflow } from '@tinkerbell/resources';
import { pathOf, workflows } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';
import { wholeSecondsText } from '../parts/relative-time.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Time } from '../parts/time.tsx';
import { comparedRuns, runBefore, type RanAction } from './run-comparison.ts';
import { stateOf } from './workflow-facts.ts';

const RUNS_MAX = 100;

/** The run before on the same machine, and what is different. Nothing if there was none. */
export function RunBeforeCard({ workflow }: { readonly workflow: Workflow }) {
  const before = useRunBefore(workflow);
  if (before === undefined) return null;
  const { namespace, name, creationTimestamp } = before.metadata;
  return (
    <details className="card run-before">
      <summary>Compare with the previous run</summary>
      <ul className="rows">
        <li>
          <Link to="/workflows/$namespace/$name" params={{ namespace, name }} className="strong">
            {name}
          </Link>
          <StateBadge state={stateOf(before)} />
          <Time at={creationTimestamp} />
        </li>
      </ul>
      <div className="table-scroller short">
        <table className="data-table">
          <thead>
            <tr>
              <th>Action</th>
              <th>This run</th>
              <th>Previous run</th>
              <th>Changed</th>
            </tr>
          </thead>
          <tbody>
            {comparedRuns(workflow, before).map(({ words, now, before: earlier, changes }) => (
              <tr key={words}>
                <td className="strong">{words}</td>
                <td>
                  <Ran action={now} />
                </td>
                <td>
                  <Ran action={earlier} />
                </td>
                <td title={changes.join(', ')}>{changes.join(', ') || <span className="quiet">–</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Ran({ action }: { readonly action: RanAction | undefined }) {
  if (action === undefined) return <span className="quiet">not in it</span>;
  const { state, tookMs } = action;
  return (
    <>
      <StateBadge state={state} /> {tookMs !== undefined && wholeSecondsText(tookMs)}
    </>
  );
}

function useRunBefore(workflow: Workflow): Workflow | undefined {
  const { namespace } = workflow.metadata;
  const machine = workflow.spec?.hardwareRef ?? '';
  const { data } = useQuery({
    queryKey: ['runs', namespace, machine],
    queryFn: () => {
      const selector = encodeURIComponent(`spec.hardwareRef=${machine}`);
      const path = `${pathOf(workflows, namespace)}?limit=${RUNS_MAX}&fieldSelector=${selector}`;
      return sendForJson<{ readonly items: readonly Workflow[] }>(path);
    },
    enabled: machine !== '',
    retry: false,
  });
  return runBefore(workflow, data?.items ?? []);
}
