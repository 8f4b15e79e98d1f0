/** The summary before a change of many machines, and its progress afterwards. */
import { useRef, useState } from 'react';
import { textOf } from '../api/request.ts';
import { Modal } from '../parts/modal.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { changeOne, commandFor, problemWith, titleOf, type BulkChange } from './bulk-changes.ts';
import type { MachineRow } from './machine-row.ts';

interface BulkDialogProps {
  readonly change: BulkChange;
  readonly rows: readonly MachineRow[];
  readonly onClose: () => void;
}

interface Outcome {
  readonly name: string;
  readonly failure: string | undefined;
}

/** A browser opens six connections, and the watches of the page need some. */
const PARALLEL = 3;
const NAMES_SHOWN_MAX = 30;

export function BulkDialog({ change, rows: given, onClose }: BulkDialogProps) {
  // Rows change while the dialog is open, and the summary must not.
  const [rows] = useState(given);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const stopped = useRef(false);
  const able = rows.filter((row) => problemWith(change, row) === undefined);
  const unable = rows.length - able.length;
  const run = async (): Promise<void> => {
    setOutcomes([]);
    const waiting = [...able];
    const worker = async (): Promise<void> => {
      for (let row = waiting.shift(); row !== undefined && !stopped.current; row = waiting.shift()) {
        const { name } = row;
        const failure = await changeOne(change, row).then(() => undefined, textOf);
        setOutcomes((before = []) => [...before, { name, failure }]);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
  };
  const close = (): void => {
    stopped.current = true;
    onClose();
  };
  return (
    <Modal title={titleOf(change)} onClose={close}>
      <div className="ask">
        <p>
          {able.length} {able.length === 1 ? 'machine' : 'machines'}: {namesText(able)}
        </p>
        {unable > 0 && <p className="warn-text">{unable} without a BMC are left out.</p>}
        {outcomes === undefined ? (
          <>
            <p className="same-command">The same on the command line:</p>
            <TinkCommand command={commandFor(change, able)} />
          </>
        ) : (
          <Progress outcomes={outcomes} all={able.length} />
        )}
        <div className="modal-actions">
          <button type="button" className="button plain" onClick={close}>
            {outcomes === undefined || outcomes.length < able.length ? 'Cancel' : 'Close'}
          </button>
          {outcomes === undefined && (
            <button
              type="button"
              className="button primary"
              disabled={able.length === 0}
              onClick={() => void run()}
            >
              {titleOf(change)}
            </button>
          )}
        </div>
      </div>
    </Modal>
  );
}

function Progress({ outcomes, all }: { readonly outcomes: readonly Outcome[]; readonly all: number }) {
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  return (
    <div role="status">
      <progress value={outcomes.length} max={all} aria-label="Progress" />
      <p>
        {outcomes.length} of {all} sent{failed.length > 0 && `, ${failed.length} failed`}
      </p>
      {failed.length > 0 && (
        <ul className="failure">
          {failed.slice(0, NAMES_SHOWN_MAX).map(({ name, failure }) => (
            <li key={name}>
              {name}: {failure}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function namesText(rows: readonly MachineRow[]): string {
  const names = rows.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
  const more = rows.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
