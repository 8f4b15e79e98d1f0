/** Saved views: to choose, to save, and to delete. Each is a link that others can open. */
import { useRef, useState, type FormEvent } from 'react';
import { Link } from '@tanstack/react-router';
import { showNotice } from '../parts/notices.tsx';
import type { MachineFilter } from './machine-filter.ts';
import {
  addressOf,
  NAME_CHARACTERS_MAX,
  VIEWS_MAX,
  viewSearch,
  withoutView,
  withView,
  type SavedView,
} from './saved-views.ts';
import { keepViews, useSavedViews } from './view-memory.ts';

interface MachineViewsProps {
  readonly filter: MachineFilter;
  /** Called with the name under which the filter is saved. */
  readonly onSaved: (name: string) => void;
}

export function MachineViews({ filter, onSaved }: MachineViewsProps) {
  const views = useSavedViews();
  const panel = useRef<HTMLDetailsElement>(null);
  const close = (): void => panel.current?.removeAttribute('open');
  const save = (name: string): void => {
    const next = withView(views, { name, search: viewSearch(filter) });
    if (next === undefined)
      return showNotice({ text: `There are ${VIEWS_MAX} views. Delete one first.`, tone: 'warn' });
    keepViews(next);
    onSaved(name);
    close();
  };
  return (
    <details className="column-choice view-choice" ref={panel}>
      <summary className="button plain">{filter.view === '' ? 'Views' : `View: ${filter.view}`}</summary>
      <div className="panel" role="group" aria-label="Saved views">
        {views.length === 0 && (
          <p className="quiet">
            A view keeps filters, order and columns in this browser. Its link works in any.
          </p>
        )}
        <ul className="rows">
          {views.map((view) => (
            <ViewRow
              key={view.name}
              view={view}
              isShown={view.name === filter.view}
              onChosen={close}
              onDelete={() => keepViews(withoutView(views, view.name))}
            />
          ))}
        </ul>
        <SaveForm key={filter.view} name={filter.view} onSave={save} />
      </div>
    </details>
  );
}

interface ViewRowProps {
  readonly view: SavedView;
  readonly isShown: boolean;
  readonly onChosen: () => void;
  readonly onDelete: () => void;
}

function ViewRow({ view, isShown, onChosen, onDelete }: ViewRowProps) {
  return (
    <li>
      <Link
        to="/machines"
        search={addressOf(view)}
        className="view-name"
        aria-current={isShown ? 'true' : undefined}
        onClick={onChosen}
      >
        {view.name}
      </Link>
      <button
        type="button"
        className="button plain"
        aria-label={`Delete the view ${view.name}`}
        onClick={onDelete}
      >
        Delete
      </button>
    </li>
  );
}

interface SaveFormProps {
  /** The view of the address, which may be somebody else's. */
  readonly name: string;
  readonly onSave: (name: string) => void;
}

function SaveForm({ name: given, onSave }: SaveFormProps) {
  const [name, setName] = useState(given);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') onSave(name.trim());
  };
  return (
    <form className="save-view" onSubmit={submit}>
      <input
        aria-label="Name of the view"
        placeholder="Name, such as rack 7"
        required
        maxLength={NAME_CHARACTERS_MAX}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" className="button primary">
        Save
      </button>
    </form>
  );
}
