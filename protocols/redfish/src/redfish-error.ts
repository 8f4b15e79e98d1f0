/** Why a service refused a request (DSP0266, section "Error responses"). */
import { objectIn, objectsIn, textIn, textsIn } from './members.ts';
import { oneLine } from './one-line.ts';
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
  // Services before DSP0266 1.1 and HTTP servers in front of them send only these two. sushy-tools sends the text only here.
  const hasText = extended.some((info) => textIn(info, 'Message') !== undefined);
  if (hasText || error === undefined) return found;
  const general = generalMessageOf(error);
  return [general, ...found.filter(({ name }) => name !== general.name)];
}

function generalMessageOf(error: RedfishObject): RedfishMessage {
  const code = textIn(error, 'code');
  return {
    name: nameOf(code),
    text: oneLine(textIn(error, 'message') ?? code ?? '', TEXT_LENGTH_MAX),
    about: [],
  };
}

function messageOf(info: RedfishObject): RedfishMessage {
  const name = nameOf(textIn(info, 'MessageId'));
  return {
    name,
    text: oneLine(textIn(info, 'Message') ?? name, TEXT_LENGTH_MAX),
    about: [...(textsIn(info, 'RelatedProperties') ?? []), ...(textsIn(info, 'MessageArgs') ?? [])],
  };
}

function nameOf(id = ''): string {
  return id.split('.').at(-1) ?? '';
}
