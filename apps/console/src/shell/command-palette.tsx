/** Ctrl-K: goes to any page, machine, workflow or template by a part of its name. */
import { useMemo, useState, type KeyboardEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import type { Resource } from '@tinkerbell/resources';
import type { Objects } from '../api/use-objects.ts';
import { Modal } from '../parts/modal.tsx';
import { pages } from './pages.ts';

interface Place {
  readonly title: string;
  readonly kind: string;
  readonly to: string;
}

const SHOWN_MAX = 12;
const folders: Readonly<Record<string, readonly [folder: string, kind: string]>> = {
  hardware: ['machines', 'Machine'],
  workflows: ['workflows', 'Workflow'],
  templates: ['templates', 'Template'],
};

// oxlint-disable-next-line import/no-default-export -- React.lazy reads the default export
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const places = usePlaces();
  const found = useMemo(() => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = ({ title, kind }: Place): boolean =>
      wanted.every((word) => `${title} ${kind}`.toLowerCase().includes(word));
    return places.filter(isFound).slice(0, SHOWN_MAX);
  }, [places, words]);
  const go = (place: Place | undefined): void => {
    if (place === undefined) return;
    onClose();
    void navigate({ to: place.to });
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter') go(found[chosen]);
  };
  return (
    <Modal title="Go to" onClose={onClose} className="palette">
      <input
        className="palette-input"
        role="combobox"
        aria-label="Page, machine, workflow or template"
        aria-expanded="true"
        aria-controls="palette-places"
        aria-activedescendant={found.length === 0 ? undefined : `place-${chosen}`}
        placeholder="Page, machine, workflow or template"
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-places" role="listbox" aria-label="Places">
        {found.map((place, index) => (
          <li
            key={place.to}
            id={`place-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(place)}
            onMouseMove={() => setChosen(index)}
          >
            <span>{place.title}</span>
            <span className="quiet">{place.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="quiet palette-none">Nothing has this name.</p>}
    </Modal>
  );
}

/** Objects that a page has listed before. */
function usePlaces(): readonly Place[] {
  const cache = useQueryClient();
  return useMemo(() => {
    const own = pages.map(({ path, title }) => ({ title, kind: 'Page', to: path }));
    const objects = cache.getQueriesData<Objects<Resource>>({ queryKey: ['objects'] });
    const seen = new Map<string, Place>();
    for (const [[, key], data] of objects) {
      const plural = /\/([a-z]+) $/.exec(String(key))?.[1] ?? '';
      const [folder, kind] = folders[plural] ?? [];
      if (folder === undefined || kind === undefined) continue;
      for (const { metadata } of data?.items ?? []) {
        const to = `/${folder}/${metadata.namespace}/${metadata.name}`;
        seen.set(to, { title: metadata.name, kind, to });
      }
    }
    return [...own, ...seen.values()];
  }, [cache]);
}
