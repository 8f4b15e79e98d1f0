import { useState } from 'react';
import { bmcJobs, hardware } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { powerOperations } from '../machine/bmc-job.ts';
import { ActionButton } from '../parts/action-button.tsx';
import type { BulkChange } from './bulk-changes.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { LabelDialog } from './label-dialog.tsx';
import type { MachineRow } from './machine-row.ts';

/** What can be done with the selected machines. It keeps its place, so that the table does not jump. */
export function BulkBar({
  rows,
  onClear,
}: {
  readonly rows: readonly MachineRow[];
  readonly onClear: () => void;
}) {
  const may = useMay(rows[0]?.namespace ?? '');
  const [change, setChange] = useState<BulkChange>();
  const [isLabelling, setLabelling] = useState(false);
  const noRows = rows.length === 0 ? 'Select machines first' : undefined;
  const [mayPatch, mayPower] = [noRows ?? may('patch', hardware), noRows ?? may('create', bmcJobs)];
  return (
    <div
      className={rows.length === 0 ? 'bulk-bar idle' : 'bulk-bar'}
      role="group"
      aria-label="Selected machines"
    >
      <span className="count">{rows.length === 0 ? 'None selected' : `${rows.length} selected`}</span>
      {powerOperations.map(({ word, title, help }) => (
        <ActionButton
          key={word}
          help={help}
          refusal={mayPower}
          onAct={() => setChange({ kind: 'power', operation: word })}
        >
          {title}
        </ActionButton>
      ))}
      <ActionButton refusal={mayPatch} onAct={() => setLabelling(true)}>
        Label…
      </ActionButton>
      <ActionButton refusal={mayPatch} onAct={() => setChange({ kind: 'netboot', isAllowed: true })}>
        Allow netboot
      </ActionButton>
      <ActionButton refusal={mayPatch} onAct={() => setChange({ kind: 'netboot', isAllowed: false })}>
        Deny netboot
      </ActionButton>
      {rows.length > 0 && (
        <button type="button" className="button plain" onClick={onClear}>
          Clear
        </button>
      )}
      {isLabelling && (
        <LabelDialog
          onClose={() => setLabelling(false)}
          onChosen={(label) => {
            setLabelling(false);
            setChange(label);
          }}
        />
      )}
      {change !== undefined && (
        <BulkDialog change={change} rows={rows} onClose={() => setChange(undefined)} />
      )}
    </div>
  );
}
