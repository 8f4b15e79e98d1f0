/** The network as the server sees it: addresses, other servers, what was sent, and what was ignored and why. */
import { PageHead } from '../parts/page-head.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { countsBy, type Sample } from '../server/server-texts.ts';
import { useSamples } from '../server/use-metrics.ts';
import { LeasesCard, PoolsCard } from './address-cards.tsx';
import { useLeases } from './use-leases.ts';

export function NetworkPage() {
  const samples = useSamples();
  const { data, error } = useLeases();
  return (
    <div className="page">
      <PageHead title="Network" />
      {error !== null && <FailureText failure={error} />}
      <div className="columns">
        <PoolsCard pools={data?.pools ?? []} />
        <OtherServers samples={samples} />
        <Counts
          title="DHCP messages, by type"
          samples={samples}
          metric="dhcp_total"
          label="type"
          none="None yet."
        />
        <Counts
          title="Ignored DHCP packets, by reason"
          samples={samples}
          metric="dhcp_ignored_total"
          label="reason"
          none="None yet."
        />
        <Counts
          title="TFTP transfers, by outcome"
          samples={samples}
          metric="tftp_transfers_total"
          label="outcome"
          none="None yet."
        />
        <Counts
          title="Requests for boot scripts, by outcome"
          samples={samples}
          metric="ipxe_script_requests_total"
          label="outcome"
          none="None yet."
        />
        <RelayCard samples={samples} />
      </div>
      <LeasesCard leases={data?.leases ?? []} total={data?.total ?? 0} />
      <TinkCommand command="sudo tink preflight --interface eth1" />
    </div>
  );
}

function OtherServers({ samples }: { readonly samples: readonly Sample[] }) {
  const seen = samples.filter(({ name, value }) => name === 'dhcp_foreign_server' && value > 0);
  return (
    <section className="card">
      <h2>Other DHCP servers</h2>
      {seen.length === 0 ? (
        <p className="quiet">None was seen within the last hour.</p>
      ) : (
        <ul className="rows">
          {seen.map(({ labels: { address = '', kind = '' } }) => (
            <li key={`${address} ${kind}`}>
              <span className="mono strong">{address}</span>
              <span className={kind === 'boot' ? 'badge bad' : 'badge warn'}>{kind}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface CountsProps {
  readonly title: string;
  readonly samples: readonly Sample[];
  readonly metric: string;
  readonly label: string;
  readonly none: string;
}

function Counts({ title, samples, metric, label, none }: CountsProps) {
  const counts = countsBy(samples, metric, label);
  return (
    <section className="card">
      <h2>{title}</h2>
      {counts.length === 0 ? <p className="quiet">{none}</p> : <CountRows counts={counts} />}
    </section>
  );
}

function CountRows({ counts }: { readonly counts: ReturnType<typeof countsBy> }) {
  return (
    <ul className="rows">
      {counts.map(([value, count]) => (
        <li key={value}>
          <span>{value.replaceAll('-', ' ')}</span>
          <strong className="row-end">{count.toLocaleString()}</strong>
        </li>
      ))}
    </ul>
  );
}

function RelayCard({ samples }: { readonly samples: readonly Sample[] }) {
  const isRelay = samples.some(({ name }) => name.startsWith('relay_'));
  return (
    <section className="card">
      <h2>Relay</h2>
      {isRelay ? (
        <>
          <CountRows counts={countsBy(samples, 'relay_forwarded_total', 'direction')} />
          <h3>Dropped</h3>
          <CountRows counts={countsBy(samples, 'relay_dropped_total', 'reason')} />
        </>
      ) : (
        <p className="quiet">
          This server is not a relay. Machines behind a router need a relay in their network, or a router that
          forwards DHCP to this server.
        </p>
      )}
    </section>
  );
}
