/** Answers of WS-Management: instances, results of methods, pages of an enumeration, and faults (DSP0226, section 14). */
import { DecodeError, decoded, type Decoded } from '@tinkerbell/wire';
import { parseXml } from './xml/parse-xml.ts';
import { childOf, childText, findElement, type XmlElement } from './xml/xml-element.ts';

export interface WsmanFault {
  /** The most specific code, without a prefix: `AccessDenied`, `InvalidSelectors`. */
  readonly code: string;
  readonly reason: string;
}

export type WsmanAnswer =
  | { readonly kind: 'body'; readonly body: XmlElement }
  | { readonly kind: 'fault'; readonly fault: WsmanFault };

/** Reads an answer. Errors: those of the XML, and `not-soap`. */
export function decodeAnswer(text: string): Decoded<WsmanAnswer> {
  return decoded(() => {
    const parsed = parseXml(text);
    if (!parsed.ok) throw new DecodeError(parsed.error, parsed.error.code);
    const body = parsed.value.name === 'Envelope' ? childOf(parsed.value, 'Body') : undefined;
    if (body === undefined)
      throw new DecodeError({ code: 'not-soap', offset: 0, field: 'Envelope' }, 'has no body');
    const fault = childOf(body, 'Fault');
    return fault === undefined ? { kind: 'body', body } : { kind: 'fault', fault: faultOf(fault) };
  });
}

function faultOf(fault: XmlElement): WsmanFault {
  const code = childOf(fault, 'Code');
  const subcode = childOf(code, 'Subcode');
  const value = childText(subcode, 'Value') ?? childText(code, 'Value') ?? 'unknown';
  return {
    code: value.slice(value.indexOf(':') + 1),
    reason: childText(childOf(fault, 'Reason'), 'Text') ?? '',
  };
}

/** Returns the members of the instance in the body of an answer to `get`. Undefined when it has none. */
export function instanceIn(body: XmlElement): XmlElement | undefined {
  return body.children[0];
}

/** Returns the number that a method returned: 0 is success. Undefined when the answer has none. */
export function returnValueIn(body: XmlElement): number | undefined {
  const text = findElement(body, 'ReturnValue')?.text ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

export interface Page {
  readonly items: readonly XmlElement[];
  /** The context of the next page. Undefined for the last one. */
  readonly context: string | undefined;
}

/** Reads the answer to `enumerate`, which has a context only, or to `pull`. */
export function pageIn(body: XmlElement): Page {
  const [answer] = body.children;
  const isLast = childOf(answer, 'EndOfSequence') !== undefined;
  const context = childText(answer, 'EnumerationContext');
  return {
    items: childOf(answer, 'Items')?.children ?? [],
    context: isLast || context === '' ? undefined : context,
  };
}
