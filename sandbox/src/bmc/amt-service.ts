/** A simulated Intel AMT: power, the next boot and the parts of a machine, over WS-Management. */
import type { ChassisOperation } from '@tinkerbell/ipmi';
import { className, findElement, parseXml, xmlText, type XmlElement } from '@tinkerbell/wsman';
import { AmtBoot } from './amt-boot.ts';
import { PARTS, REDIRECTION, type AmtMembers } from './amt-instances.ts';
import type { AmtLies } from './amt-lies.ts';
import { AmtLogin, type AmtAccount } from './amt-login.ts';
import type { RedfishSimulatedMachine } from './redfish-machine.ts';

export interface AmtServiceOptions extends AmtAccount {
  readonly machine: RedfishSimulatedMachine;
}

export interface AmtRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface AmtAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

const ENUMERATION = 'http://schemas.xmlsoap.org/ws/2004/09/enumeration';
const IDENTITY = 'http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd';
/** The operations of `RequestPowerStateChange` that the machine knows. */
const POWER = new Map<string, ChassisOperation>([
  ['2', 'on'],
  ['5', 'cycle'],
  ['8', 'off'],
  ['10', 'reset'],
  ['12', 'soft'],
]);
/** The return value for a parameter that is not known. */
const INVALID = 5;

export class AmtService {
  readonly lies: AmtLies = {};
  /** Each accepted request, as `RequestPowerStateChange 2` or `Get CIM_Chassis`. */
  readonly requests: string[] = [];
  readonly #machine: RedfishSimulatedMachine;
  readonly #login: AmtLogin;
  readonly #boot: AmtBoot;
  #redirection: AmtMembers = REDIRECTION;

  constructor({ machine, username, password }: AmtServiceOptions) {
    this.#machine = machine;
    this.#boot = new AmtBoot(machine, this.lies);
    this.#login = new AmtLogin({ username, password });
  }

  /** Whether sessions are served, as the firmware is set. */
  offers(kind: 'sol' | 'ider'): boolean {
    const values = new Map(this.#redirection);
    const states = kind === 'sol' ? ['32770', '32771'] : ['32769', '32771'];
    return values.get('ListenerEnabled') === 'true' && states.includes(values.get('EnabledState') ?? '');
  }

  async respond({ method, target, headers, body }: AmtRequest): Promise<AmtAnswer> {
    const { redirectsTo, answerText, status, hasNoDigest, forgetsNonces } = this.lies;
    if (redirectsTo !== undefined) return { status: 302, headers: { Location: redirectsTo }, text: '' };
    if (status !== undefined) return { status, text: '' };
    if (target !== '/wsman') return { status: 404, text: '' };
    const isIn = this.#login.isValid(method, String(headers['authorization'] ?? ''));
    if (forgetsNonces === true) this.#login.forgetNonces();
    if (!isIn || hasNoDigest === true) {
      const challenge = hasNoDigest === true ? 'Basic realm="AMT"' : this.#login.challenge();
      return { status: 401, headers: { 'WWW-Authenticate': challenge }, text: '' };
    }
    if (answerText !== undefined) return { status: 200, text: answerText };
    const request = parseXml(body);
    if (!request.ok) return fault('SchemaValidationError', request.error.code);
    return isIdentify(request.value) ? identity() : await this.#answer(request.value);
  }

  async #answer(envelope: XmlElement): Promise<AmtAnswer> {
    const resource = findElement(envelope, 'ResourceURI')?.text ?? '';
    const action = findElement(envelope, 'Action')?.text ?? '';
    const verb = className(action);
    const name = className(resource);
    this.requests.push(`${verb} ${name}`);
    if (this.lies.fault !== undefined) return fault(this.lies.fault, 'switched on');
    if (this.lies.missing?.test(name) === true) return fault('DestinationUnreachable', name);
    if (verb === 'Enumerate')
      return envelopeOf(
        `<n:EnumerateResponse xmlns:n="${ENUMERATION}"><n:EnumerationContext>1</n:EnumerationContext></n:EnumerateResponse>`,
      );
    if (verb === 'Pull') return this.#page(resource);
    if (verb === 'Get') return await this.#instance(resource);
    if (verb === 'Put') return this.#put(resource, findElement(envelope, name));
    return await this.#method(resource, { verb, envelope });
  }

  #page(resource: string): AmtAnswer {
    const name = className(resource);
    const parts = PARTS[name] ?? [];
    const items =
      this.#boot.itemsOf(name) ?? parts.map((members) => instanceText(resource, members)).join('');
    const end =
      this.lies.hasEndlessPages === true
        ? '<n:EnumerationContext>1</n:EnumerationContext>'
        : '<n:EndOfSequence/>';
    return envelopeOf(
      `<n:PullResponse xmlns:n="${ENUMERATION}"><n:Items>${items}</n:Items>${end}</n:PullResponse>`,
    );
  }

  async #instance(resource: string): Promise<AmtAnswer> {
    const name = className(resource);
    if (name === 'CIM_AssociatedPowerManagementService') {
      const state = this.lies.powerState ?? ((await this.#machine.isOn()) ? '2' : '8');
      return envelopeOf(instanceText(resource, [['PowerState', state]]));
    }
    if (name === 'AMT_BootSettingData') return envelopeOf(instanceText(resource, this.#boot.settings));
    if (name === 'AMT_RedirectionService') return envelopeOf(instanceText(resource, this.#redirection));
    return fault('DestinationUnreachable', name);
  }

  /** As the firmware does: read-only members are refused. */
  #put(resource: string, given: XmlElement | undefined): AmtAnswer {
    const name = className(resource);
    if ((name !== 'AMT_BootSettingData' && name !== 'AMT_RedirectionService') || given === undefined)
      return fault('ActionNotSupported', resource);
    if (name === 'AMT_RedirectionService') {
      this.#redirection = changed(this.#redirection, {
        ListenerEnabled: findElement(given, 'ListenerEnabled')?.text,
      });
      return envelopeOf(instanceText(resource, this.#redirection));
    }
    const refused = this.#boot.change(given);
    return refused === undefined
      ? envelopeOf(instanceText(resource, this.#boot.settings))
      : fault('InvalidParameter', refused);
  }

  async #method(
    resource: string,
    { verb, envelope }: { readonly verb: string; readonly envelope: XmlElement },
  ): Promise<AmtAnswer> {
    const input = findElement(envelope, `${verb}_INPUT`);
    if (input === undefined) return fault('ActionNotSupported', verb);
    const refused = this.lies.returnValue;
    const value = refused ?? (await this.#perform(verb, input));
    return value === undefined
      ? fault('ActionNotSupported', verb)
      : envelopeOf(instanceText(resource, [['ReturnValue', String(value)]], `${verb}_OUTPUT`));
  }

  #perform(verb: string, input: XmlElement): number | undefined | Promise<number> {
    switch (verb) {
      case 'ChangeBootOrder':
        return this.#boot.setSource(findElement(input, 'Selector')?.text);
      case 'SetBootConfigRole':
        return this.#boot.setRole(findElement(input, 'Role')?.text ?? '');
      case 'RequestStateChange':
        return this.#setRedirection(findElement(input, 'RequestedState')?.text ?? '');
      case 'RequestPowerStateChange':
        return this.#setPower(findElement(input, 'PowerState')?.text ?? '');
      default:
        return undefined;
    }
  }

  async #setPower(state: string): Promise<number> {
    const operation = POWER.get(state);
    if (operation === undefined) return INVALID;
    if (this.lies.ignoresPower !== true) await this.#machine.power(operation);
    return 0;
  }

  #setRedirection(state: string): number {
    if (!/^3276[89]$|^3277[01]$/.test(state)) return INVALID;
    this.#redirection = changed(this.#redirection, { EnabledState: state });
    return 0;
  }
}

function isIdentify(envelope: XmlElement): boolean {
  return findElement(envelope, 'Identify') !== undefined;
}

/** DSP0226, section 11. */
function identity(): AmtAnswer {
  const facts = {
    ProtocolVersion: 'http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd',
    ProductVendor: 'Intel(r)',
    ProductVersion: 'AMT 15.0.47',
  };
  const inner = Object.entries(facts).map(([name, value]) => `<i:${name}>${value}</i:${name}>`);
  const response = `<i:IdentifyResponse xmlns:i="${IDENTITY}">${inner.join('')}</i:IdentifyResponse>`;
  return envelopeOf(response);
}

function changed(members: AmtMembers, values: Readonly<Record<string, string | undefined>>): AmtMembers {
  return members.map(([name, value]) => [name, values[name] ?? value]);
}

function instanceText(resource: string, members: AmtMembers, name = className(resource)): string {
  const inner = members.map(([member, value]) => `<g:${member}>${xmlText(value)}</g:${member}>`).join('');
  return `<g:${name} xmlns:g="${xmlText(resource)}">${inner}</g:${name}>`;
}

function envelopeOf(body: string, status = 200): AmtAnswer {
  const text = `<?xml version="1.0" encoding="UTF-8"?><a:Envelope xmlns:a="http://www.w3.org/2003/05/soap-envelope"><a:Header/><a:Body>${body}</a:Body></a:Envelope>`;
  return { status, text };
}

function fault(code: string, reason: string): AmtAnswer {
  const text = `<a:Fault><a:Code><a:Value>a:Sender</a:Value><a:Subcode><a:Value>e:${xmlText(code)}</a:Value></a:Subcode></a:Code><a:Reason><a:Text xml:lang="en-US">${xmlText(reason)}</a:Text></a:Reason></a:Fault>`;
  return envelopeOf(text, 400);
}
