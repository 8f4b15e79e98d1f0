import { useState } from 'react';
import type { Workflow } from '@tinkerbell/resources';
import { pathOf, workflows } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';
import { Ask } from '../parts/ask.tsx';
import { changeIn, editCommand, formOf, type ActionForm, type Variable } from './action-edit.ts';
import type { PlacedAction } from './workflow-facts.ts';

interface EditDialogProps {
  readonly workflow: Workflow;
  readonly placed: PlacedAction;
  readonly onClose: () => void;
}

/** Changes an action that does not run: a later one, or a failed one before its retry. */
export function EditDialog({ workflow, placed, onClose }: EditDialogProps) {
  const { name, namespace } = workflow.metadata;
  // What the dialog was opened with. Others may change the action meanwhile.
  const [{ action, task, words }] = useState(placed);
  const [form, setForm] = useState(() => formOf(action));
  const [why, setWhy] = useState('');
  const read = changeIn(form, action);
  const save = async (): Promise<void> => {
    if ('problem' in read) throw new Error(read.problem);
    const body = { action: action.id, task: task.id, ...read.change, ...(why === '' ? {} : { why }) };
    await sendForJson(`${pathOf(workflows, namespace, name)}/edit`, { method: 'POST', body });
  };
  const change = 'change' in read ? read.change : {};
  const set = (next: Partial<ActionForm>): void => setForm({ ...form, ...next });
  return (
    <Ask
      title={`Edit ${words}: ${name}`}
      verb="Save"
      command={editCommand({ workflow: name, namespace, words, action }, change, why.trim())}
      done={`${words} is changed`}
      act={save}
      onClose={onClose}
    >
      <p>It is changed in this workflow only. The template stays as it is.</p>
      <TextField title="Image" value={form.image} onChange={(image) => set({ image })} />
      <Variables variables={form.variables} onChange={(variables) => set({ variables })} />
      <TextField
        title="Command (a JSON list; empty: of the image)"
        value={form.command}
        onChange={(command) => set({ command })}
      />
      <TextField
        title="Volumes (one per line)"
        value={form.volumes}
        isLong
        onChange={(volumes) => set({ volumes })}
      />
      <TextField
        title="Timeout (seconds; 0: no limit)"
        value={form.timeout}
        onChange={(timeout) => set({ timeout })}
      />
      <TextField title="Why (stored with the workflow)" value={why} onChange={setWhy} />
    </Ask>
  );
}

interface TextFieldProps {
  readonly title: string;
  readonly value: string;
  readonly isLong?: boolean;
  readonly onChange: (value: string) => void;
}

function TextField({ title, value, isLong = false, onChange }: TextFieldProps) {
  return (
    <label className="field">
      <span>{title}</span>
      {isLong ? (
        <LongText value={value} onChange={onChange} />
      ) : (
        <input value={value} spellCheck={false} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
    </label>
  );
}

function LongText({ value, label, onChange }: Omit<TextFieldProps, 'title'> & { readonly label?: string }) {
  return (
    <textarea
      aria-label={label}
      rows={Math.min(8, value.split('\n').length)}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Variables({
  variables,
  onChange,
}: {
  readonly variables: readonly Variable[];
  readonly onChange: (variables: readonly Variable[]) => void;
}) {
  const [isAdded, setAdded] = useState<ReadonlySet<number>>(new Set());
  const change = (at: number, next: Partial<Variable>): void =>
    onChange(variables.map((one, index) => (index === at ? { ...one, ...next } : one)));
  return (
    <fieldset className="variables">
      <legend>Environment</legend>
      {variables.map(({ name, value }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- names change while they are typed
        <div key={index} className="variable">
          {isAdded.has(index) ? (
            <input
              aria-label="Name of the new variable"
              value={name}
              spellCheck={false}
              onChange={(event) => change(index, { name: event.currentTarget.value })}
            />
          ) : (
            <code title={name}>{name}</code>
          )}
          <LongText
            label={name === '' ? 'Value of the new variable' : name}
            value={value}
            onChange={(text) => change(index, { value: text })}
          />
          <button
            type="button"
            className="button plain"
            aria-label={`Remove ${name}`}
            onClick={() => {
              onChange(variables.toSpliced(index, 1));
              setAdded(
                new Set([...isAdded].filter((at) => at !== index).map((at) => (at > index ? at - 1 : at))),
              );
            }}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        className="button plain"
        onClick={() => {
          setAdded(new Set(isAdded).add(variables.length));
          onChange([...variables, { name: '', value: '' }]);
        }}
      >
        Add a variable
      </button>
    </fieldset>
  );
}
