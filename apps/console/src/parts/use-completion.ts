/** Offers words for the place of the cursor in a text field. Arrow keys, Enter, Tab and Escape work as in editors; Ctrl+Space asks. */
import { useState, type KeyboardEvent } from 'react';
import type { Complete, Completion } from './completion.ts';

export interface Offer extends Completion {
  readonly chosen: number;
  /** The place of the cursor, from 0. */
  readonly row: number;
  readonly column: number;
}

export interface Completing {
  readonly offer: Offer | undefined;
  /** Call it after each change of the text. */
  readonly typed: (field: HTMLTextAreaElement) => void;
  readonly onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  readonly choose: (field: HTMLTextAreaElement, index: number) => void;
  readonly close: () => void;
}

export function useCompletion(complete: Complete | undefined, onChange: (text: string) => void): Completing {
  const [offer, setOffer] = useState<Offer>();
  const close = (): void => setOffer(undefined);
  const look = (field: HTMLTextAreaElement, isAsked: boolean): void => {
    const before = field.value.slice(0, field.selectionStart);
    const found = field.selectionStart === field.selectionEnd ? complete?.(before) : undefined;
    if (found === undefined || (found.typed === '' && !isAsked)) return close();
    const row = before.split('\n').length - 1;
    setOffer({ ...found, chosen: 0, row, column: before.length - before.lastIndexOf('\n') - 1 });
  };
  const choose = (field: HTMLTextAreaElement, index: number): void => {
    const word = offer?.items[index]?.text;
    if (offer === undefined || word === undefined) return;
    const end = field.selectionStart;
    field.setRangeText(word, end - offer.typed.length, end, 'end');
    onChange(field.value);
    close();
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const field = event.currentTarget;
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      return look(field, true);
    }
    if (offer === undefined) return;
    const count = offer.items.length;
    switch (event.key) {
      case 'ArrowDown':
        setOffer({ ...offer, chosen: (offer.chosen + 1) % count });
        break;
      case 'ArrowUp':
        setOffer({ ...offer, chosen: (offer.chosen - 1 + count) % count });
        break;
      case 'Enter':
      case 'Tab':
        choose(field, offer.chosen);
        break;
      case 'Escape':
        close();
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return { offer, typed: (field) => look(field, false), onKey, choose, close };
}
