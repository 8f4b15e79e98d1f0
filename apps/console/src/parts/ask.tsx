/** A dialog before a request: what it does, the command that does the same, and what went wrong. */
import { useState, type FormEvent, type ReactNode } from 'react';
import { FailureText } from './failure-text.tsx';
import { Modal } from './modal.tsx';
import { showNotice } from './notices.tsx';
import { TinkCommand } from './tink-command.tsx';

export interface AskProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** The button that sends the request. */
  readonly verb: string;
  readonly tone?: 'primary' | 'danger';
  readonly command: string;
  readonly act: () => Promise<void>;
  /** Shown after success. */
  readonly done: string;
  readonly onClose: () => void;
}

export function Ask({ title, children, verb, tone = 'primary', command, act, done, onClose }: AskProps) {
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      await act();
      showNotice({ text: done, tone: 'good' });
      onClose();
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="ask">
        {children}
        <p className="same-command">The same with tink:</p>
        <TinkCommand command={command} />
        {failure !== undefined && <FailureText failure={failure} />}
        <div className="modal-actions">
          <button type="button" className="button plain" onClick={onClose}>
            Back
          </button>
          <button type="submit" className={`button ${tone}`} disabled={isBusy}>
            {verb}
          </button>
        </div>
      </form>
    </Modal>
  );
}
