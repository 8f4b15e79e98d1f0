/** One machine: who it is, how it boots, what it runs, and what can be done with it. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Hardware } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import { bmcMachines, hardware, pathOf, workflows } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { useRecords } from '../api/use-records.ts';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { bootHealthOf } from './boot-condition.ts';
import { BootPanel } from './boot-panel.tsx';
import { ChecksCard } from './checks-card.tsx';
import { DeleteMachine } from './delete-machine.tsx';
import { DiagnosisCard } from './diagnosis-card.tsx';
import { IdentityPanel } from './identity-panel.tsx';
import { PowerPanel } from './power-panel.tsx';
import { RecordList } from './record-list.tsx';
import { WorkflowsPanel } from './workflows-panel.tsx';

const ConsolePanel = lazy(() => import('./console-panel.tsx'));
const MetadataPanel = lazy(() => import('./metadata-panel.tsx'));
const YamlEditor = lazy(() => import('../parts/yaml-editor.tsx'));

const tabs = ['boot', 'identity', 'workflows', 'power', 'console', 'metadata', 'events', 'yaml'] as const;
type Tab = (typeof tabs)[number];
const titles: Readonly<Record<Tab, string>> = {
  boot: 'Boot',
  identity: 'Identity',
  workflows: 'Workflows',
  power: 'Power',
  console: 'Console',
  metadata: 'Metadata',
  events: 'Events',
  yaml: 'YAML',
};

export function MachinePage() {
  const { namespace = '', name = '' } = useParams({ strict: false });
  const { tab: given } = useSearch({ strict: false });
  const tab = tabs.find((one) => one === given) ?? 'boot';
  const navigate = useNavigate();
  const { items, isComplete, failure } = useObjects(hardware, { namespace, name });
  const machine = items[0];
  if (failure !== undefined) return <FailureText failure={failure} />;
  if (machine === undefined)
    return isComplete ? (
      <EmptyPage title={`There is no machine ${name} in ${namespace}`}>
        <Link to="/machines">All machines</Link>
      </EmptyPage>
    ) : (
      <p className="waiting">Loading…</p>
    );
  return (
    <div className="page">
      <Head machine={machine} />
      <Tabs
        label="Parts of the machine"
        tabs={tabs.map((id) => ({ id, title: titles[id] }))}
        chosen={tab}
        onChoose={(id) =>
          void navigate({ to: '.', search: { tab: id === 'boot' ? undefined : id }, replace: true })
        }
      >
        <Suspense fallback={<p className="waiting">Loading…</p>}>
          <TabContent tab={tab} machine={machine} />
        </Suspense>
      </Tabs>
      <TinkCommand command={commandOf(tab, machine)} />
    </div>
  );
}

function Head({ machine }: { readonly machine: Hardware }) {
  const { namespace, name } = machine.metadata;
  const [isDeleting, setDeleting] = useState(false);
  const bmc = machine.spec?.bmcRef?.name;
  const { items } = useObjects(
    bmcMachines,
    { namespace, ...(bmc === undefined ? {} : { name: bmc }) },
    bmc !== undefined,
  );
  const power = items.find((one) => one.metadata.name === bmc)?.status?.powerState;
  return (
    <>
      <PageHead
        title={name}
        above={
          <>
            <Link to="/machines">Machines</Link> / {namespace}
          </>
        }
        beside={
          power === undefined ? undefined : (
            <span>
              <span className="quiet">Power</span> <StateBadge state={power} />
            </span>
          )
        }
        actions={
          <button type="button" className="button plain" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        }
      />
      {isDeleting && <DeleteMachine machine={machine} onClose={() => setDeleting(false)} />}
    </>
  );
}

function TabContent({ tab, machine }: { readonly tab: Tab; readonly machine: Hardware }): ReactNode {
  const { namespace, name } = machine.metadata;
  const path = pathOf(hardware, namespace, name);
  const { records } = useRecords(tab === 'boot' || tab === 'events' ? `${path}/timeline` : undefined);
  const { items } = useObjects(workflows, { namespace }, tab === 'workflows');
  switch (tab) {
    case 'boot':
      return <BootTab machine={machine} records={records} />;
    case 'identity':
      return <IdentityPanel machine={machine} />;
    case 'workflows':
      return <WorkflowsPanel machine={machine} workflows={items} />;
    case 'power':
      return <PowerPanel machine={machine} />;
    case 'console':
      return <ConsolePanel machine={machine} />;
    case 'metadata':
      return <MetadataPanel machine={machine} />;
    case 'events':
      return <RecordList label="Events of the machine" records={records} />;
    case 'yaml':
      return <YamlEditor key={machine.metadata.uid} kind={hardware} object={machine} />;
  }
}

interface BootTabProps {
  readonly machine: Hardware;
  readonly records: readonly JournalRecord[];
}

function BootTab({ machine, records }: BootTabProps) {
  const [checks, setChecks] = useState(0);
  return (
    <div className="stack">
      <DiagnosisCard machine={machine} checks={checks} />
      <ChecksCard machine={machine} onChecked={() => setChecks((count) => count + 1)} />
      <BootPanel records={records} isExplained={bootHealthOf(machine) === 'stopped'} />
    </div>
  );
}

function commandOf(tab: Tab, { metadata: { name, namespace } }: Hardware): string {
  const [word, place] = [shellWord(name), inNamespace(namespace)];
  const commands: Readonly<Record<Tab, string>> = {
    boot: `tink boot ${word}${place} -w`,
    identity: `tink describe hardware ${word}${place}`,
    workflows: `tink tree hardware ${word}${place}`,
    power: `tink power status ${word}${place}`,
    console: `tink console ${word}${place}`,
    metadata: `tink get hardware ${word}${place} -o yaml`,
    events: `tink events --machine ${word}${place} -w`,
    yaml: `tink edit hardware ${word}${place}`,
  };
  return commands[tab];
}
