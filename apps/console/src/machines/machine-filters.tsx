import { machineColumns } from './machine-columns.tsx';
import type { MachineFilter } from './machine-filter.ts';
import { MachineViews } from './machine-views.tsx';

const states = ['RUNNING', 'FAILED', 'TIMEOUT', 'SUCCESS', 'PENDING', 'PREPARING', 'CANCELLED', 'none'];

export function MachineFilters({
  filter,
  onChange,
  onSaved,
}: {
  readonly filter: MachineFilter;
  readonly onChange: (next: Partial<MachineFilter>) => void;
  /** Called with the name under which the filter is saved as a view. */
  readonly onSaved: (name: string) => void;
}) {
  return (
    <search className="filters">
      <input
        type="search"
        aria-label="Filter by name, MAC, address or label"
        placeholder="Name, MAC, address, label"
        value={filter.words}
        onChange={(event) => onChange({ words: event.currentTarget.value })}
      />
      <select
        aria-label="State of the workflow"
        value={filter.state}
        onChange={(event) => onChange({ state: event.currentTarget.value })}
      >
        <option value="">Any workflow</option>
        {states.map((state) => (
          <option key={state} value={state}>
            {state === 'none' ? 'no workflow' : state.toLowerCase()}
          </option>
        ))}
      </select>
      <select
        aria-label="Netboot"
        value={filter.netboot}
        onChange={(event) => onChange({ netboot: event.currentTarget.value })}
      >
        <option value="">Any netboot</option>
        <option value="allowed">netboot allowed</option>
        <option value="denied">netboot denied</option>
      </select>
      <input
        aria-label="Label"
        placeholder="Label, such as rack=r7"
        value={filter.label}
        onChange={(event) => onChange({ label: event.currentTarget.value.trim() })}
      />
      <ColumnChoice hidden={filter.hidden} onChange={(hidden) => onChange({ hidden })} />
      <MachineViews filter={filter} onSaved={onSaved} />
    </search>
  );
}

interface ColumnChoiceProps {
  readonly hidden: MachineFilter['hidden'];
  readonly onChange: (hidden: MachineFilter['hidden']) => void;
}

/** Nobody has to choose: then the columns that have room are shown. */
function ColumnChoice({ hidden, onChange }: ColumnChoiceProps) {
  const off = hidden ?? [];
  return (
    <details className="column-choice">
      <summary className="button plain">Columns</summary>
      <fieldset>
        <legend className="unseen">Columns</legend>
        <label>
          <input
            type="checkbox"
            checked={hidden === undefined}
            onChange={({ currentTarget }) => onChange(currentTarget.checked ? undefined : [])}
          />
          Those that have room
        </label>
        {machineColumns.slice(1).map(({ id, title }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={!off.includes(id)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? off.filter((one) => one !== id) : [...off, id])
              }
            />
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
