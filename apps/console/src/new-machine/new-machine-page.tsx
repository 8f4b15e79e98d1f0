/** Registers machines: one with a form, many from CSV, or one that asks to boot. */
import { useState } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useUnknownMachines } from '../api/unknown-machines.ts';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { Time } from '../parts/time.tsx';
import { CsvForm } from './csv-form.tsx';
import { OneMachineForm } from './one-machine-form.tsx';

const tabs = [
  { id: 'one', title: 'One machine' },
  { id: 'csv', title: 'From CSV' },
  { id: 'seen', title: 'Asked to boot' },
] as const;

export function NewMachinePage() {
  const { tab: given, mac = '' } = useSearch({ strict: false });
  const tab = tabs.find(({ id }) => id === given)?.id ?? 'one';
  const navigate = useNavigate();
  // The text stays while somebody looks at another tab.
  const [csv, setCsv] = useState('');
  return (
    <div className="page narrow">
      <PageHead title="New machine" />
      <Tabs
        label="Ways to register"
        tabs={tabs}
        chosen={tab}
        onChoose={(id) => void navigate({ to: '/new-machine', search: { tab: id }, replace: true })}
      >
        {tab === 'one' && <OneMachineForm key={mac} mac={mac} />}
        {tab === 'csv' && <CsvForm text={csv} onChange={setCsv} />}
        {tab === 'seen' && <SeenMachines />}
      </Tabs>
    </div>
  );
}

function SeenMachines() {
  const { data, error } = useUnknownMachines();
  const navigate = useNavigate();
  if (error !== null) return <FailureText failure={error} />;
  const items = data?.items ?? [];
  if (items.length === 0)
    return (
      <EmptyPage title="No unknown machine has asked to boot">
        <p>
          Power one on with network boot first. It appears here within seconds, if this server answers DHCP on
          its network.
        </p>
      </EmptyPage>
    );
  return (
    <>
      <ul className="rows">
        {items.map(({ mac, client, bmc, message, count, lastSeen }) => (
          <li key={mac}>
            <span className="mono strong">{mac}</span>
            <span className="quiet">{bmc === undefined ? client : `BMC (${bmc})`}</span>
            <span className="row-text">{message}</span>
            <span className="quiet">{count} packets</span>
            <Time at={lastSeen} />
            {bmc === undefined && (
              <button
                type="button"
                className="button plain"
                onClick={() => void navigate({ to: '/new-machine', search: { mac } })}
              >
                Accept…
              </button>
            )}
          </li>
        ))}
      </ul>
      <TinkCommand command="tink get unknown" />
    </>
  );
}
