/** Power and boot device through the BMC, and what it was asked to do before. */
import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { BmcJob, Hardware } from '@tinkerbell/resources';
import { bmcJobs, bmcMachines } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { useObjects } from '../api/use-objects.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Ask } from '../parts/ask.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { inNamespace, shellWord } from '../parts/tink-command.tsx';
import { Time } from '../parts/time.tsx';
import { bootDevices, createJob, powerOperations, type WantedJob } from './bmc-job.ts';

type Wish = WantedJob & { readonly title: string; readonly command: string };

const JOBS_SHOWN = 20;

export function PowerPanel({ machine }: { readonly machine: Hardware }) {
  const { namespace = '', name } = machine.metadata;
  const bmc = machine.spec?.bmcRef?.name;
  const may = useMay(namespace);
  const { items: bmcs } = useObjects(bmcMachines, { namespace });
  const { items: jobs } = useObjects(bmcJobs, { namespace });
  const [wish, setWish] = useState<Wish>();
  if (bmc === undefined)
    return (
      <EmptyPage title="This machine has no BMC">
        <p>Register its BMC, and set spec.bmcRef of the machine. The guide to BMCs describes how.</p>
        <Link to="/bmcs">BMCs</Link>
      </EmptyPage>
    );
  const status = bmcs.find(({ metadata }) => metadata.name === bmc)?.status;
  const refusal = may('create', bmcJobs);
  const own = jobs.filter(({ spec }) => spec?.machineRef.name === bmc).toReversed();
  const place = `${shellWord(name)}${inNamespace(namespace)}`;
  return (
    <div className="columns">
      <section className="card">
        <h2>
          Power <StateBadge state={status?.powerState ?? 'unknown'} />
        </h2>
        <div className="button-row">
          {powerOperations.map((operation) => (
            <ActionButton
              key={operation}
              refusal={refusal}
              onAct={() =>
                setWish({
                  title: `Power ${operation}`,
                  word: `power-${operation}`,
                  tasks: [{ powerAction: operation }],
                  command: `tink power ${operation} ${place}`,
                })
              }
            >
              {operation}
            </ActionButton>
          ))}
        </div>
        <h3>Boot once from</h3>
        <div className="button-row">
          {bootDevices.map((device) => (
            <ActionButton
              key={device}
              refusal={refusal}
              onAct={() =>
                setWish({
                  title: `Boot once from ${device}`,
                  word: `boot-${device}`,
                  tasks: [{ bootDevice: { device, persistent: false, efiBoot: true } }],
                  command: `tink boot-device ${device} ${place}`,
                })
              }
            >
              {device}
            </ActionButton>
          ))}
        </div>
      </section>
      <section className="card">
        <h2>Jobs</h2>
        {own.length === 0 && <p className="quiet">The BMC was not asked to do anything yet.</p>}
        <ul className="rows">
          {own.slice(0, JOBS_SHOWN).map((job) => (
            <JobRow key={job.metadata.name} job={job} />
          ))}
        </ul>
      </section>
      {wish !== undefined && (
        <Ask
          title={`${wish.title}: ${name}`}
          verb={wish.title}
          command={wish.command}
          done={`${wish.title} was requested for ${name}`}
          act={async () => void (await createJob(machine, wish))}
          onClose={() => setWish(undefined)}
        />
      )}
    </div>
  );
}

function JobRow({ job }: { readonly job: BmcJob }) {
  const held = (job.status?.conditions ?? []).filter(({ status }) => status === 'True');
  const condition =
    held.find(({ type }) => type === 'Failed') ?? held.find(({ type }) => type === 'Completed');
  return (
    <li>
      <span className="mono">{job.metadata.name}</span>
      <StateBadge state={condition?.type ?? 'Running'} />
      <span className="row-text">{condition?.message}</span>
      <Time at={job.metadata.creationTimestamp} />
    </li>
  );
}
