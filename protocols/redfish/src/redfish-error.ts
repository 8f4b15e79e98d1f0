/** Why a service refused a request (DSP0266, section "Error responses"). */
import { objectIn, objectsIn, textIn, textsIn } from './members.ts';
import type { RedfishObject } from './redfish-json.ts';

export interface RedfishMessage {
  /** Without registry and version: `PropertyValueNotInList` of `Base.1.8.PropertyValueNotInList`. */
  readonly name: string;
  readonly text: string;
  /** The members that the message is about, as JSON pointers or plain names, with the arguments of the message. */
  readonly about: readonly string[];
}

/** Messages that are read. One refusal of a real BMC has one or two. */
const MESSAGES_MAX = 8;
const TEXT_LENGTH_MAX = 300;

/** Returns the messages of an error body, or of a success that has annotations. Empty: the body has none. */
export function messagesOf(body: RedfishObject): readonly RedfishMessage[] {
  const error = objectIn(body, 'error');
  const extended = [error, body].flatMap((holder) => objectsIn(holder, '@Message.ExtendedInfo'));
  const found = extended.slice(0, MESSAGES_MAX).map(messageOf);
  // Services before DSP0266 1.1, and HTTP servers in front of them, send only these two.
  return found.length === 0 && error !== undefined
    ? [
        {
          name: nameOf(textIn(error, 'code')),
          text: cut(textIn(error, 'message') ?? textIn(error, 'code') ?? ''),
          about: [],
        },
      ]
    : found;
}

function messageOf(info: RedfishObject): RedfishMessage {
  const name = nameOf(textIn(info, 'MessageId'));
  return {
    name,
    text: cut(textIn(info, 'Message') ?? name),
    about: [...(textsIn(info, 'RelatedProperties') ?? []), ...(textsIn(info, 'MessageArgs') ?? [])],
  };
}

function nameOf(id = ''): string {
  return id.split('.').at(-1) ?? '';
}

/** One line, without control characters, since it reaches logs and terminals. */
function cut(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are removed
  return text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, TEXT_LENGTH_MAX);
}
