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
  const numbers = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const [scrolled, setScrolled] = useState(NOT_SCROLLED);
  const { offer, typed, onKey, choose, close } = useCompletion(isReadOnly ? undefined : complete, onChange);
  const list =
    offer === undefined ? {} : { 'aria-controls': id, 'aria-activedescendant': `${id}-${offer.chosen}` };
  return (
    <div className="yaml">
      <LineNumbers text={text} problems={problems} place={numbers} />
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
  readonly place: RefObject<HTMLDivElement | null>;
}

/** One text for all lines, because a template can have 20,000. */
function LineNumbers({ text, problems, place }: LineNumbersProps) {
  const lines = useMemo(() => text.split('\n').length, [text]);
  const numbers = useMemo(() => Array.from({ length: lines }, (_, index) => index + 1).join('\n'), [lines]);
  const messages = new Map(problems.map(({ line, message }) => [line, message]));
  return (
    <div className="line-numbers" aria-hidden="true" ref={place}>
      <div className="all-numbers">
        {numbers}
        {[...messages].map(([line, message]) => (
          <span key={line} className="bad" title={message} style={{ top: `${(line - 1) * 1.6}em` }}>
            {line}
          </span>
        ))}
      </div>
    </div>
  );
}
