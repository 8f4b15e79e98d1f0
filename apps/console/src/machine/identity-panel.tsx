import type { Hardware, NetworkInterface } from '@tinkerbell/resources';
import { Time } from '../parts/time.tsx';
import { interfaceFacts, machineFacts, type Fact } from './machine-facts.ts';

export function IdentityPanel({ machine }: { readonly machine: Hardware }) {
  const interfaces: readonly NetworkInterface[] = machine.spec?.interfaces ?? [];
  return (
    <div className="columns">
      <section className="card">
        <h2>Machine</h2>
        <Facts facts={machineFacts(machine)} />
        <p className="quiet">
          Registered <Time at={machine.metadata.creationTimestamp} />
        </p>
      </section>
      {interfaces.map((one, index) => (
        <section className="card" key={one.dhcp?.mac ?? index}>
          <h2>Interface {index + 1}</h2>
          <Facts facts={interfaceFacts(one)} />
        </section>
      ))}
    </div>
  );
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value = '']) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={/^[\da-f.:, ]+$/.test(value) ? 'mono' : ''}>
            {value === '' ? <span className="quiet">–</span> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
