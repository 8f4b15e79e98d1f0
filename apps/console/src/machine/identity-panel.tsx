import type { ReactNode } from 'react';
import type { Hardware } from '@tinkerbell/resources';
import { Time } from '../parts/time.tsx';

export function IdentityPanel({ machine }: { readonly machine: Hardware }) {
  const { metadata, spec } = machine;
  const instance = spec?.metadata?.instance;
  return (
    <div className="columns">
      <section className="card">
        <h2>Machine</h2>
        <dl className="facts">
          <Fact name="Name">{metadata.name}</Fact>
          <Fact name="Namespace">{metadata.namespace}</Fact>
          <Fact name="Agent">{spec?.agentID}</Fact>
          <Fact name="BMC">{spec?.bmcRef?.name}</Fact>
          <Fact name="Disks">{(spec?.disks ?? []).map(({ device }) => device).join(', ')}</Fact>
          <Fact name="Instance">{instance?.hostname ?? instance?.id}</Fact>
          <Fact name="Registered">
            <Time at={metadata.creationTimestamp} />
          </Fact>
          <Fact name="Labels">
            {Object.entries(metadata.labels ?? {})
              .map((label) => label.join('='))
              .join(', ')}
          </Fact>
        </dl>
      </section>
      {(spec?.interfaces ?? []).map(({ dhcp, netboot }, index) => (
        <section className="card" key={dhcp?.mac ?? index}>
          <h2>Interface {index + 1}</h2>
          <dl className="facts">
            <Fact name="MAC" isCode>
              {dhcp?.mac}
            </Fact>
            <Fact name="Address" isCode>
              {dhcp?.ip?.address}
            </Fact>
            <Fact name="Netmask" isCode>
              {dhcp?.ip?.netmask}
            </Fact>
            <Fact name="Gateway" isCode>
              {dhcp?.ip?.gateway}
            </Fact>
            <Fact name="Host name">{dhcp?.hostname}</Fact>
            <Fact name="Name servers" isCode>
              {dhcp?.name_servers?.join(', ')}
            </Fact>
            <Fact name="Architecture">{dhcp?.arch}</Fact>
            <Fact name="Netboot">{netboot?.allowPXE === true ? 'allowed' : 'denied'}</Fact>
          </dl>
        </section>
      ))}
    </div>
  );
}

function Fact({
  name,
  isCode = false,
  children,
}: {
  readonly name: string;
  readonly isCode?: boolean;
  readonly children: ReactNode;
}) {
  const isEmpty = children === undefined || children === '';
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isCode ? 'mono' : ''}>{isEmpty ? <span className="quiet">–</span> : children}</dd>
    </div>
  );
}
