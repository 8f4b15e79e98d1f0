import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { Hardware, Template } from '@tinkerbell/resources';
import { hardware, pathOf, workflows } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';
import { useObjects } from '../api/use-objects.ts';
import { Ask } from '../parts/ask.tsx';
import { inNamespace, shellWord } from '../parts/shell-word.ts';

interface StartWorkflowProps {
  readonly template: Template;
  readonly onClose: () => void;
}

/** A workflow of the template on one machine, whose first MAC is `device_1`. */
export function StartWorkflow({ template, onClose }: StartWorkflowProps) {
  const { namespace, name } = template.metadata;
  const { items } = useObjects(hardware, { namespace });
  const [machineName, setMachineName] = useState('');
  const navigate = useNavigate();
  const machine = items.find(({ metadata }) => metadata.name === machineName);
  const workflowName = `${machineName || 'MACHINE'}-${name}`;
  const start = async (): Promise<void> => {
    if (machine === undefined) throw new Error(`there is no machine ${machineName} in ${namespace}`);
    const made = await sendForJson<{ readonly metadata: { readonly name: string } }>(
      pathOf(workflows, namespace),
      {
        method: 'POST',
        body: {
          apiVersion: 'tinkerbell.org/v1alpha1',
          kind: 'Workflow',
          metadata: { name: workflowName, namespace },
          spec: { templateRef: name, hardwareRef: machineName, hardwareMap: { device_1: macOf(machine) } },
        },
      },
    );
    await navigate({ to: '/workflows/$namespace/$name', params: { namespace, name: made.metadata.name } });
  };
  return (
    <Ask
      title={`Run ${name} on a machine`}
      verb="Start"
      command={`tink workflow create --template ${shellWord(name)} --hardware ${shellWord(machineName || 'MACHINE')}${inNamespace(namespace)}`}
      done={`The workflow ${workflowName} is created`}
      act={start}
      onClose={onClose}
    >
      <label className="field">
        <span>Machine</span>
        <input
          required
          list="machines-of-namespace"
          value={machineName}
          onChange={(event) => setMachineName(event.currentTarget.value)}
        />
      </label>
      <datalist id="machines-of-namespace">
        {items.map(({ metadata }) => (
          <option key={metadata.uid} value={metadata.name} />
        ))}
      </datalist>
    </Ask>
  );
}

function macOf({ spec }: Hardware): string {
  return spec?.interfaces?.[0]?.dhcp?.mac ?? '';
}
