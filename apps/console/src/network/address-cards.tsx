import { Link } from '@tanstack/react-router';
import { Time } from '../parts/time.tsx';
import type { Pool, ShownLease } from './use-leases.ts';

const SHOWN_MAX = 200;

export function PoolsCard({ pools }: { readonly pools: readonly Pool[] }) {
  return (
    <section className="card">
      <h2>Address pools</h2>
      {pools.length === 0 && (
        <>
          <p className="quiet">
            The server assigns addresses to registered machines only. This gives others an address:
          </p>
          <code>--dhcp-pool=192.0.2.100-192.0.2.200/24</code>
        </>
      )}
      <ul className="rows">
        {pools.map(({ first, last, prefixLength, addresses, leased, inUseElsewhere }) => (
          <li key={first}>
            <span className="mono strong">
              {first} – {last}/{prefixLength}
            </span>
            <span className="mini-progress">
              <progress value={leased} max={addresses} aria-label="Addresses assigned" /> {leased} of{' '}
              {addresses} assigned
            </span>
            {inUseElsewhere > 0 && <span className="badge warn">{inUseElsewhere} in use elsewhere</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface LeasesCardProps {
  readonly leases: readonly ShownLease[];
  readonly total: number;
}

export function LeasesCard({ leases, total }: LeasesCardProps) {
  if (total === 0) return null;
  const shown = leases.slice(0, SHOWN_MAX);
  return (
    <section className="card">
      <h2>Leases</h2>
      {total > shown.length && (
        <p className="quiet">
          The newest {shown.length} of {total.toLocaleString()}
        </p>
      )}
      <ul className="rows">
        {shown.map(({ address, mac, state, until }) => (
          <li key={address}>
            <span className="mono strong">{address}</span>
            <Link to="/machines" search={{ q: mac }} className="mono">
              {mac}
            </Link>
            <span className={state === 'declined' ? 'badge warn' : 'badge calm'}>{state}</span>
            <span className="row-text">
              {state === 'declined' && 'in use elsewhere: another machine answers at it'}
            </span>
            <span className="row-end quiet">
              ends <Time at={until} isAhead />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
