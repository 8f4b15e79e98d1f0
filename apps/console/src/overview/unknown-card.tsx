import { Link } from '@tanstack/react-router';
import { useUnknownMachines } from '../api/unknown-machines.ts';
import { Time } from '../parts/time.tsx';

const SHOWN_MAX = 8;

/** Machines that ask to boot and are not registered. */
export function UnknownCard() {
  const { data } = useUnknownMachines();
  const items = data?.items ?? [];
  return (
    <section className="card">
      <h2>Unregistered machines that ask to boot</h2>
      {items.length === 0 ? (
        <p className="quiet">None has asked.</p>
      ) : (
        <ul className="rows">
          {items.slice(0, SHOWN_MAX).map(({ mac, bmc, client, message, lastSeen }) => (
            <li key={mac}>
              <Link to="/new-machine" search={{ mac }} className="mono strong">
                {mac}
              </Link>
              <span className="quiet">{bmc === undefined ? client : 'BMC'}</span>
              <span className="row-text">{message}</span>
              <Time at={lastSeen} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
