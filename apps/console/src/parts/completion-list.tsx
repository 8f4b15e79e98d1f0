import type { Offer } from './use-completion.ts';

interface CompletionListProps {
  readonly id: string;
  readonly offer: Offer;
  /** How far the text is scrolled, in pixels. */
  readonly scrolled: { readonly top: number; readonly left: number };
  readonly onChoose: (index: number) => void;
}

/** The words below the cursor. The text field keeps the focus. */
export function CompletionList({ id, offer, scrolled, onChoose }: CompletionListProps) {
  const { row, column, items, chosen, typed } = offer;
  const top = `calc(0.75rem + ${row + 1} * 1.6em - ${scrolled.top}px)`;
  const left = `calc(0.75rem + ${column - typed.length}ch - ${scrolled.left}px)`;
  return (
    <ul id={id} role="listbox" aria-label="Words" className="completions" style={{ top, left }}>
      {items.map(({ text, help }, index) => (
        <li
          key={text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          <code>{text}</code> <span className="quiet">{help}</span>
        </li>
      ))}
    </ul>
  );
}
