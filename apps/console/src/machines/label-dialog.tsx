import { useState, type FormEvent } from 'react';
import { Modal } from '../parts/modal.tsx';
import type { BulkChange } from './bulk-changes.ts';

export function LabelDialog({
  onChosen,
  onClose,
}: {
  readonly onChosen: (change: BulkChange) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChosen({ kind: 'label', name: name.trim(), value: value.trim() });
  };
  return (
    <Modal title="Label machines" onClose={onClose}>
      <form onSubmit={submit} className="ask">
        <label className="field">
          <span>Name</span>
          <input
            required
            value={name}
            placeholder="rack"
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label className="field">
          <span>Value (empty: remove the label)</span>
          <input value={value} placeholder="r7" onChange={(event) => setValue(event.currentTarget.value)} />
        </label>
        <div className="modal-actions">
          <button type="button" className="button plain" onClick={onClose}>
            Back
          </button>
          <button type="submit" className="button primary">
            Show the summary
          </button>
        </div>
      </form>
    </Modal>
  );
}
