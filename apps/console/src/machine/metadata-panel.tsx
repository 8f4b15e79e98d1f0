/** The metadata that the server would answer this machine now. */
import type { Hardware } from '@tinkerbell/resources';
import { plainOutput } from '../workflow/plain-output.ts';
import { ec2Leaves, nocloudLeaves, type MetadataLeaf } from './metadata-leaves.ts';

// oxlint-disable-next-line import/no-default-export -- React.lazy reads the default export
export default function MetadataPanel({ machine }: { readonly machine: Hardware }) {
  return (
    <div className="columns wide">
      <Leaves title="EC2: /latest/" leaves={ec2Leaves(machine)} />
      <Leaves title="NoCloud, for cloud-init" leaves={nocloudLeaves(machine)} />
    </div>
  );
}

function Leaves({ title, leaves }: { readonly title: string; readonly leaves: readonly MetadataLeaf[] }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {leaves.length === 0 && <p className="quiet">This Hardware has no metadata.</p>}
      <dl className="leaves">
        {leaves.map(([path, text]) => (
          <div key={path}>
            <dt className="mono">{path}</dt>
            <dd>
              <pre tabIndex={0}>{text.split('\n').map(plainOutput).join('\n').trimEnd()}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
