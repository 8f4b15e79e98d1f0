import { useId, useMemo, useRef, useState, type RefObject } from 'react';
import type { Complete } from './completion.ts';
import { CompletionList } from './completion-list.tsx';
import { useCompletion } from './use-completion.ts';
import type { LineProblem } from './yaml-problems.ts';

interface YamlTextProps {
  readonly label: string;
  readonly text: string;
  readonly onChange?: (text: string) => void;
  readonly problems: readonly LineProblem[];
  readonly isReadOnly: boolean;
  readonly complete?: Complete | undefined;
}

const NOT_SCROLLED = { top: 0, left: 0 };

/** A text field with line numbers, which marks the lines with problems. */
export function YamlText({
  label,
  text,
  onChange = () => undefined,
  problems,
  isReadOnly,
  complete,
}: YamlTextProps) {
  const numbers = useRef<HTMLOListElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const [scrolled, setScrolled] = useState(NOT_SCROLLED);
  const { offer, typed, onKey, choose, close } = useCompletion(isReadOnly ? undefined : complete, onChange);
  const list =
    offer === undefined ? {} : { 'aria-controls': id, 'aria-activedescendant': `${id}-${offer.chosen}` };
  return (
    <div className="yaml">
      <LineNumbers text={text} problems={problems} list={numbers} />
      <div className="yaml-field">
        <textarea
          ref={field}
          aria-label={label}
          aria-invalid={problems.length > 0}
          aria-autocomplete={complete === undefined ? 'none' : 'list'}
          {...list}
          spellCheck={false}
          autoCapitalize="off"
          wrap="off"
          value={text}
          readOnly={isReadOnly}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value);
            typed(currentTarget);
          }}
          onKeyDown={onKey}
          onBlur={close}
          onPointerDown={close}
          onScroll={({ currentTarget: { scrollTop: top, scrollLeft: left } }) => {
            if (numbers.current !== null) numbers.current.scrollTop = top;
            if (complete !== undefined) setScrolled({ top, left });
          }}
        />
        {offer !== undefined && (
          <CompletionList
            id={id}
            offer={offer}
            scrolled={scrolled}
            onChoose={(index) => field.current !== null && choose(field.current, index)}
          />
        )}
      </div>
    </div>
  );
}

interface LineNumbersProps {
  readonly text: string;
  readonly problems: readonly LineProblem[];
  readonly list: RefObject<HTMLOListElement | null>;
}

function LineNumbers({ text, problems, list }: LineNumbersProps) {
  const lines = useMemo(() => text.split('\n').length, [text]);
  const messages = new Map(problems.map(({ line, message }) => [line, message]));
  return (
    <ol className="line-numbers" aria-hidden="true" ref={list}>
      {Array.from({ length: lines }, (_, index) => (
        <li key={index} className={messages.has(index + 1) ? 'bad' : ''} title={messages.get(index + 1)}>
          {index + 1}
        </li>
      ))}
    </ol>
  );
}
