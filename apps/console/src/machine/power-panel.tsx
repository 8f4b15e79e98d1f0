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
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import { Time } from '../parts/time.tsx';
import { bootDevices, createJob, powerOperations, powerTitle, type WantedJob } from './bmc-job.ts';

type Wish = WantedJob & { readonly title: string; readonly command: string };

const JOBS_SHOWN = 20;

export function PowerPanel({ machine }: { readonly machine: Hardware }) {
  const { namespace, name } = machine.metadata;
  const bmc = machine.spec?.bmcRef?.name;
  const [wish, setWish] = useState<Wish>();
  if (bmc === undefined)
    return (
      <EmptyPage title="This machine has no BMC">
        <p>Register its BMC, and set spec.bmcRef of the machine. The guide to BMCs describes how.</p>
        <Link to="/bmcs">BMCs</Link>
      </EmptyPage>
    );
  return (
    <div className="columns">
      <PowerCard machine={machine} bmc={bmc} onWish={setWish} />
      <JobsCard namespace={namespace} bmc={bmc} />
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

interface PowerCardProps {
  readonly machine: Hardware;
  readonly bmc: string;
  readonly onWish: (wish: Wish) => void;
}

function PowerCard({ machine, bmc, onWish }: PowerCardProps) {
  const { namespace, name } = machine.metadata;
  const refusal = useMay(namespace)('create', bmcJobs);
  const { items } = useObjects(bmcMachines, { namespace, name: bmc });
  const place = `${shellWord(name)}${inNamespace(namespace)}`;
  return (
    <section className="card">
      <h2>
        Power <StateBadge state={items[0]?.status?.powerState ?? 'unknown'} />
      </h2>
      <div className="button-row">
        {powerOperations.map(({ word, title, help }) => (
          <ActionButton key={word} help={help} refusal={refusal} onAct={() => onWish(powerWish(word, place))}>
            {title}
          </ActionButton>
        ))}
      </div>
      <h3>Boot once from</h3>
      <div className="button-row">
        {bootDevices.map((device) => (
          <ActionButton
            key={device.word}
            help={device.help}
            refusal={refusal}
            onAct={() => onWish(bootWish(device, place))}
          >
            {device.title}
          </ActionButton>
        ))}
      </div>
    </section>
  );
}

function powerWish(operation: string, place: string): Wish {
  return {
    title: powerTitle(operation),
    word: `power-${operation}`,
    tasks: [{ powerAction: operation }],
    command: `tink power ${operation} ${place}`,
  };
}

function bootWish({ word, title }: (typeof bootDevices)[number], place: string): Wish {
  return {
    title: `Boot once from: ${title}`,
    word: `boot-${word}`,
    tasks: [{ bootDevice: { device: word, persistent: false, efiBoot: true } }],
    command: `tink boot-device ${word} ${place}`,
  };
}

function JobsCard({ namespace, bmc }: { readonly namespace: string; readonly bmc: string }) {
  const { items } = useObjects(bmcJobs, { namespace });
  const own = items.filter(({ spec }) => spec?.machineRef.name === bmc).toReversed();
  return (
    <section className="card">
      <h2>Jobs</h2>
      {own.length === 0 && <p className="quiet">No job yet.</p>}
      <ul className="rows">
        {own.slice(0, JOBS_SHOWN).map((job) => (
          <JobRow key={job.metadata.name} job={job} />
        ))}
      </ul>
    </section>
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
