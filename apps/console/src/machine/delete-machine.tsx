import { useNavigate } from '@tanstack/react-router';
import type { Hardware } from '@tinkerbell/resources';
import { hardware, pathOf } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';
import { Ask } from '../parts/ask.tsx';
import { inNamespace, shellWord } from '../parts/shell-word.ts';

export function DeleteMachine({
  machine,
  onClose,
}: {
  readonly machine: Hardware;
  readonly onClose: () => void;
}) {
  const { namespace, name } = machine.metadata;
  const navigate = useNavigate();
  return (
    <Ask
      title={`Delete the machine ${name}`}
      verb="Delete"
      tone="danger"
      command={`tink delete hardware ${shellWord(name)}${inNamespace(namespace)}`}
      done={`The machine ${name} is deleted`}
      act={async () => {
        await sendForJson(pathOf(hardware, namespace, name), { method: 'DELETE' });
        await navigate({ to: '/machines' });
      }}
      onClose={onClose}
    >
      <p>The server forgets its addresses and no longer answers its requests. Its disks are not touched.</p>
    </Ask>
  );
}
