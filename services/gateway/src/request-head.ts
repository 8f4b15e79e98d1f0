import { charactersOf, fieldOf, KEPT_CHARACTERS_MAX, type Fields } from '@tinkerbell/http2';
import type { CallPlan } from './call-plan.ts';
import type { HeaderFields } from './header-fields.ts';
import { fieldsByName } from './http2-fields.ts';
import { repeatedField } from './repeated-field.ts';

/** What the header fields of a request of HTTP/2 mean. */
export interface RequestHead {
  readonly method: string;
  readonly authority: string;
  readonly target: string;
  readonly fields: HeaderFields;
  readonly problem: string | undefined;
  /** An earlier request of the connection had it too. */
  isRepeated: boolean;
  /** What the gateway has found out about calls with this head. */
  plan?: CallPlan | undefined;
}

/** Requests of two methods. */
const HEADS_MAX = 2;
/** A connection with fewer requests keeps nothing. */
const REQUESTS_BEFORE = 10;

/** The heads of the last requests of a connection. The decoder returns the same list for a repeated block. */
export class RequestHeads {
  readonly #kept: { readonly raw: Fields; readonly head: RequestHead }[] = [];
  #seen = 0;

  of(raw: Fields): RequestHead {
    for (const kept of this.#kept)
      if (kept.raw === raw) {
        kept.head.isRepeated = true;
        return kept.head;
      }
    const head = headOf(raw);
    this.#seen += 1;
    if (this.#seen <= REQUESTS_BEFORE || charactersOf(raw) > KEPT_CHARACTERS_MAX) return head;
    if (this.#kept.length === HEADS_MAX) this.#kept.shift();
    this.#kept.push({ raw, head });
    return head;
  }
}

function headOf(raw: Fields): RequestHead {
  const [authority, host] = [fieldOf(raw, ':authority'), fieldOf(raw, 'host')];
  const isTwofold = authority !== undefined && host !== undefined && host !== authority;
  return {
    method: fieldOf(raw, ':method') ?? '',
    authority: authority ?? host ?? '',
    target: fieldOf(raw, ':path') ?? '',
    fields: fieldsByName(raw),
    isRepeated: false,
    problem: isTwofold ? 'host and :authority differ' : repeatedField(raw),
  };
}
