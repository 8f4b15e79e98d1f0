import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { hardware, pathOf } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { ApiFailure, sendForJson } from '../api/request.ts';
import { FailureText } from '../parts/failure-text.tsx';
import { showNotice } from '../parts/notices.tsx';
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { useNamespace } from '../shell/namespace.ts';
import {
  emptyForm,
  formFieldOf,
  hardwareOf,
  normalMac,
  problemsOf,
  type FormProblems,
  type MachineForm,
} from './machine-form.ts';

const fields: readonly {
  readonly id: keyof MachineForm;
  readonly title: string;
  readonly help: string;
  readonly isRequired?: boolean;
}[] = [
  { id: 'name', title: 'Name', help: 'also its host name', isRequired: true },
  { id: 'mac', title: 'MAC', help: 'of the interface it boots from', isRequired: true },
  {
    id: 'address',
    title: 'Address',
    help: 'with prefix: 192.168.56.43/24. Empty: a pool or another server assigns it',
  },
  { id: 'gateway', title: 'Gateway', help: 'empty: none' },
  { id: 'disk', title: 'Disk', help: 'the device that templates install to, such as /dev/sda' },
  { id: 'namespace', title: 'Namespace', help: 'of the machine and its workflows', isRequired: true },
];

export function OneMachineForm({ mac }: { readonly mac: string }) {
  const namespace = useNamespace();
  const firstName = mac === '' ? '' : `machine-${mac.replaceAll(':', '-')}`;
  const [form, setForm] = useState<MachineForm>({
    ...emptyForm,
    mac,
    name: firstName,
    namespace: namespace || 'default',
  });
  const [problems, setProblems] = useState<FormProblems>({});
  const [failure, setFailure] = useState<unknown>();
  const refusal = useMay(form.namespace)('create', hardware);
  const navigate = useNavigate();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setFailure(undefined);
    const found = problemsOf(form);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      await sendForJson(pathOf(hardware, form.namespace), { method: 'POST', body: hardwareOf(form) });
      showNotice({ text: `The machine ${form.name} is registered`, tone: 'good' });
      await navigate({
        to: '/machines/$namespace/$name',
        params: { namespace: form.namespace, name: form.name },
      });
    } catch (thrown) {
      setFailure(thrown);
      setProblems(thrown instanceof ApiFailure ? problemsIn(thrown) : {});
    }
  };
  return (
    <form className="form card" onSubmit={(event) => void submit(event)} noValidate>
      <Fields form={form} problems={problems} onChange={setForm} />
      {failure !== undefined && <FailureText failure={failure} />}
      <TinkCommand command={commandOf(form)} />
      <div className="form-end">
        <button type="submit" className="button primary" disabled={refusal !== undefined} title={refusal}>
          Register
        </button>
        {refusal !== undefined && <p className="warn-text">{refusal}</p>}
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly form: MachineForm;
  readonly problems: FormProblems;
  readonly onChange: (form: MachineForm) => void;
}

function Fields({ form, problems, onChange }: FieldsProps) {
  return (
    <div className="field-grid">
      {fields.map(({ id, title, help, isRequired = false }) => (
        <label className="field" key={id}>
          <span>
            {title}
            {isRequired && <span aria-hidden="true"> *</span>}
          </span>
          <input
            name={id}
            value={form[id]}
            required={isRequired}
            aria-invalid={problems[id] !== undefined}
            aria-describedby={`${id}-help`}
            onChange={(event) => onChange({ ...form, [id]: event.currentTarget.value })}
          />
          <small id={`${id}-help`} className={problems[id] === undefined ? 'quiet' : 'bad-text'}>
            {problems[id] ?? help}
          </small>
        </label>
      ))}
    </div>
  );
}

function problemsIn({ causes }: ApiFailure): FormProblems {
  const found = causes.flatMap(({ field, message }) => {
    const id = formFieldOf(field);
    return id === undefined ? [] : [[id, message]];
  });
  return Object.fromEntries(found);
}

function commandOf({ name, namespace, mac, address, gateway }: MachineForm): string {
  const words = [
    'tink hardware accept',
    mac === '' ? 'MAC' : shellWord(normalMac(mac)),
    `--name ${shellWord(name || 'NAME')}`,
    address === '' ? '--no-address' : `--address ${shellWord(address)}`,
    ...(gateway === '' ? [] : [`--gateway ${shellWord(gateway)}`]),
  ];
  return `${words.join(' ')}${inNamespace(namespace)}`;
}
