/** Requests of WS-Management (DSP0226) with the bindings of CIM (DSP0227). */
import { xmlText } from './xml/xml-text.ts';

const ADDRESSING = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
const ANONYMOUS = `${ADDRESSING}/role/anonymous`;
const ENUMERATION = 'http://schemas.xmlsoap.org/ws/2004/09/enumeration';
const TRANSFER = 'http://schemas.xmlsoap.org/ws/2004/09/transfer';
const MANAGEMENT = 'http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd';
const SOAP = 'http://www.w3.org/2003/05/soap-envelope';

/** What AMT takes: all instances of a class at once. */
const PULL_ELEMENTS_MAX = 999;
const PULL_CHARACTERS_MAX = 99_999;

/** The keys of an instance, by name. */
export type Selectors = Readonly<Record<string, string>>;

/** An instance, by the URI of its class. */
export interface Instance {
  readonly resource: string;
  readonly selectors?: Selectors;
}

export type WsmanOperation =
  | { readonly kind: 'get' }
  | { readonly kind: 'put'; readonly members: readonly Member[] }
  | { readonly kind: 'enumerate' }
  | { readonly kind: 'pull'; readonly context: string }
  | { readonly kind: 'invoke'; readonly method: string; readonly members: readonly Member[] };

/** A member of an instance, or an argument of a method: text, or a reference to another instance. */
export interface Member {
  readonly name: string;
  readonly value: string | Instance;
}

export interface WsmanRequest extends Instance {
  readonly operation: WsmanOperation;
  /** Counted for each connection. */
  readonly messageId: number;
  readonly timeoutSeconds: number;
}

/** Returns the text of a request. */
export function encodeRequest(request: WsmanRequest): string {
  const { resource, selectors, operation, messageId, timeoutSeconds } = request;
  const header = [
    `<a:Action>${xmlText(actionOf(resource, operation))}</a:Action>`,
    '<a:To>/wsman</a:To>',
    `<w:ResourceURI>${xmlText(resource)}</w:ResourceURI>`,
    `<a:MessageID>${messageId}</a:MessageID>`,
    `<a:ReplyTo><a:Address>${ANONYMOUS}</a:Address></a:ReplyTo>`,
    `<w:OperationTimeout>PT${Math.max(1, Math.ceil(timeoutSeconds))}S</w:OperationTimeout>`,
    selectorSet(selectors),
  ].join('');
  const namespaces = `xmlns:s="${SOAP}" xmlns:a="${ADDRESSING}" xmlns:w="${MANAGEMENT}"`;
  const body = bodyOf(resource, operation);
  return `<?xml version="1.0" encoding="utf-8"?><s:Envelope ${namespaces}><s:Header>${header}</s:Header><s:Body>${body}</s:Body></s:Envelope>`;
}

function actionOf(resource: string, operation: WsmanOperation): string {
  switch (operation.kind) {
    case 'get':
      return `${TRANSFER}/Get`;
    case 'put':
      return `${TRANSFER}/Put`;
    case 'enumerate':
      return `${ENUMERATION}/Enumerate`;
    case 'pull':
      return `${ENUMERATION}/Pull`;
    case 'invoke':
      return `${resource}/${operation.method}`;
  }
}

function bodyOf(resource: string, operation: WsmanOperation): string {
  switch (operation.kind) {
    case 'get':
      return '';
    case 'put':
      return instanceOf(resource, { name: className(resource), members: operation.members });
    case 'enumerate':
      return `<n:Enumerate xmlns:n="${ENUMERATION}"/>`;
    case 'pull':
      return `<n:Pull xmlns:n="${ENUMERATION}"><n:EnumerationContext>${xmlText(operation.context)}</n:EnumerationContext><n:MaxElements>${PULL_ELEMENTS_MAX}</n:MaxElements><n:MaxCharacters>${PULL_CHARACTERS_MAX}</n:MaxCharacters></n:Pull>`;
    case 'invoke':
      return instanceOf(resource, { name: `${operation.method}_INPUT`, members: operation.members });
  }
}

/** `http://…/CIM_BootService` is `CIM_BootService`. */
export function className(resource: string): string {
  return resource.slice(resource.lastIndexOf('/') + 1);
}

function instanceOf(
  resource: string,
  { name, members }: { readonly name: string; readonly members: readonly Member[] },
): string {
  const inner = members
    .map((member) => `<p:${member.name}>${valueText(member.value)}</p:${member.name}>`)
    .join('');
  return `<p:${name} xmlns:p="${xmlText(resource)}">${inner}</p:${name}>`;
}

function valueText(value: string | Instance): string {
  if (typeof value === 'string') return xmlText(value);
  const reference = `<w:ResourceURI>${xmlText(value.resource)}</w:ResourceURI>${selectorSet(value.selectors)}`;
  return `<a:Address>${ANONYMOUS}</a:Address><a:ReferenceParameters>${reference}</a:ReferenceParameters>`;
}

function selectorSet(selectors: Selectors = {}): string {
  const entries = Object.entries(selectors);
  if (entries.length === 0) return '';
  const inner = entries.map(
    ([name, value]) => `<w:Selector Name="${xmlText(name)}">${xmlText(value)}</w:Selector>`,
  );
  return `<w:SelectorSet>${inner.join('')}</w:SelectorSet>`;
}
