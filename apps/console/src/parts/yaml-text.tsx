import { useMemo, useRef } from 'react';
import type { LineProblem } from './yaml-problems.ts';

interface YamlTextProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly problems: readonly LineProblem[];
  readonly isReadOnly: boolean;
}

/** A text field with line numbers, which marks the lines with problems. */
export function YamlText({ label, text, onChange, problems, isReadOnly }: YamlTextProps) {
  const numbers = useRef<HTMLOListElement>(null);
  const lines = useMemo(() => text.split('\n').length, [text]);
  const messages = new Map(problems.map(({ line, message }) => [line, message]));
  return (
    <div className="yaml">
      <ol className="line-numbers" aria-hidden="true" ref={numbers}>
        {Array.from({ length: lines }, (_, index) => (
          <li key={index} className={messages.has(index + 1) ? 'bad' : ''} title={messages.get(index + 1)}>
            {index + 1}
          </li>
        ))}
      </ol>
      <textarea
        aria-label={label}
        aria-invalid={problems.length > 0}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        value={text}
        readOnly={isReadOnly}
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={({ currentTarget }) => {
          if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
