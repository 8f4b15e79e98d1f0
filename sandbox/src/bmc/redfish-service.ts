/** The answers of a simulated Redfish service, without a network. It can be made to lie. */
import { createHash, randomBytes } from 'node:crypto';
import { perform } from './redfish-changes.ts';
import type { RedfishLies } from './redfish-lies.ts';
import type { RedfishSimulatedMachine } from './redfish-machine.ts';
import { SUBSCRIPTIONS } from './redfish-services.ts';
import { newRedfishState, type RedfishState } from './redfish-state.ts';
import {
  methodsAt,
  resourceAt,
  ROOT,
  SESSIONS,
  TASKS,
  type Fields,
  type RedfishFeatures,
  type Simulated,
} from './redfish-resources.ts';

export interface RedfishServiceOptions {
  readonly machine: RedfishSimulatedMachine;
  readonly username: string;
  readonly password: string;
  readonly features?: RedfishFeatures;
}

const SESSIONS_MAX = 16;
const SUBSCRIPTIONS_MAX = 16;
/** Answers of `running` before a task ends. */
const TASK_LOOKS = 2;

export interface RedfishAnswer {
  readonly status: number;
  readonly fields?: Fields;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The names of headers are in lower case. */
export interface RedfishRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Fields;
  readonly headers: RedfishRequest['headers'];
}

export class RedfishService {
  /** May be changed at any time. */
  readonly lies: RedfishLies = {};
  /** Each request, as `GET /redfish/v1/`. */
  readonly requests: string[] = [];
  /** Tokens of the open sessions, by path. */
  readonly sessions: Map<string, string>;
  readonly #options: RedfishServiceOptions;
  readonly #simulated: Simulated;
  #taskLooks = 0;

  constructor(options: RedfishServiceOptions) {
    this.#options = options;
    const { machine, features = {}, username, password } = options;
    const state = newRedfishState({ username, password });
    this.sessions = state.sessions;
    this.#simulated = { machine, features, lies: this.lies, state };
  }

  /** What clients have subscribed to, by path. A BMC that forgets clears it. */
  get subscriptions(): RedfishState['subscriptions'] {
    return this.#simulated.state.subscriptions;
  }

  /** The account, whose password clients may change. */
  get account(): Pick<RedfishState, 'username' | 'password'> {
    return this.#simulated.state;
  }

  async respond({ method, target, body, headers }: RedfishRequest): Promise<RedfishAnswer> {
    const { pathname, search: query } = new URL(target, 'http://simulator');
    this.requests.push(`${method} ${pathname}`);
    const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
    return await this.#answer({ method, path, query, body: parsed(body), headers });
  }

  async #answer(asked: Asked): Promise<RedfishAnswer> {
    const { lies } = this;
    if (lies.redirectsTo !== undefined) return { status: 307, headers: { Location: lies.redirectsTo } };
    if (lies.isUnavailableWhileOff === true && !(await this.#options.machine.isOn()))
      return refusal(503, 'ServiceTemporarilyUnavailable');
    if (asked.method === 'POST' && asked.path === SESSIONS) return this.#logIn(asked.body);
    if (asked.path !== ROOT && !this.#isKnown(asked)) return refusal(401, 'ResourceAtUriUnauthorized');
    if (asked.method === 'GET') return await this.#read(asked);
    if (asked.method === 'DELETE') return { status: this.#remove(asked.path) ? 204 : 404 };
    return await this.#change(asked);
  }

  #remove(path: string): boolean {
    const { sessions, subscriptions } = this.#simulated.state;
    return sessions.delete(path) || subscriptions.delete(path);
  }

  #subscribe({ Destination: destination, Context: context = '' }: Fields): RedfishAnswer {
    const { subscriptions } = this.#simulated.state;
    if (typeof destination !== 'string' || typeof context !== 'string')
      return refusal(400, 'PropertyMissing', ['#/Destination']);
    if (subscriptions.size >= SUBSCRIPTIONS_MAX) return refusal(503, 'EventSubscriptionLimitExceeded');
    const path = `${SUBSCRIPTIONS}/${randomBytes(4).toString('hex')}`;
    subscriptions.set(path, { destination, context });
    return { status: 201, fields: { '@odata.id': path }, headers: { Location: path } };
  }

  #logIn({ UserName, Password }: Fields): RedfishAnswer {
    const { username, features } = this.#options;
    const { password } = this.#simulated.state;
    if (features?.hasSessions === false) return refusal(404, 'ResourceMissingAtURI');
    if (this.lies.hasSessionsInNameOnly === true) return refusal(405, 'OperationNotAllowed');
    if (this.lies.locksAccount === true) return refusal(401, 'AccountLocked', ['The account is locked out.']);
    if (UserName !== username || Password !== password) return refusal(401, 'ResourceAtUriUnauthorized');
    if (this.sessions.size >= SESSIONS_MAX) return refusal(503, 'SessionLimitExceeded');
    const path = `${SESSIONS}/${randomBytes(4).toString('hex')}`;
    const token = randomBytes(16).toString('hex');
    this.sessions.set(path, token);
    const fields = { '@odata.id': path, Id: path.split('/').at(-1), Name: 'Session', UserName };
    return { status: 201, fields, headers: { Location: path, 'X-Auth-Token': token } };
  }

  #isKnown({ headers, path }: Asked): boolean {
    if (this.lies.dropsSessionsAt?.test(path) === true) {
      this.sessions.clear();
      delete this.lies.dropsSessionsAt;
    }
    if ((this.lies.sessionRefusals ?? 0) > 0) {
      this.lies.sessionRefusals = (this.lies.sessionRefusals ?? 0) - 1;
      return false;
    }
    const { username } = this.#options;
    const { password } = this.#simulated.state;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const token = textOf(headers['x-auth-token']);
    return headers.authorization === basic || [...this.sessions.values()].some((one) => one === token);
  }

  async #read({ path, query }: Asked): Promise<RedfishAnswer> {
    if (path.startsWith(`${TASKS}/`)) return this.#task();
    const found = await resourceAt(this.#simulated, path);
    if (found === undefined || this.lies.missing?.test(path) === true)
      return refusal(404, 'ResourceMissingAtURI');
    if (this.lies.resourceText !== undefined && path !== ROOT)
      return { status: 200, text: this.lies.resourceText };
    const asksToExpand = new URLSearchParams(query).has('$expand');
    if (asksToExpand && this.lies.refusesExpand === true) return refusal(501, 'QueryNotSupported');
    const page = this.#page({ '@odata.id': path, ...found }, { path, query });
    const fields = asksToExpand && this.lies.ignoresExpand !== true ? await this.#expanded(page) : page;
    return {
      status: 200,
      fields,
      headers: {
        ETag: `${this.lies.hasWeakEtags === true ? 'W/' : ''}${etagOf(fields)}`,
        // sushy changes a drive without actions only when this allows it (DSP0266, section "Response headers").
        Allow: methodsAt(this.#simulated, path).join(', '),
      },
    };
  }

  async #expanded(page: Fields): Promise<Fields> {
    const { Members: members } = page;
    if (!Array.isArray(members)) return page;
    const whole: Fields[] = [];
    for (const { '@odata.id': path } of members)
      whole.push({ '@odata.id': path, ...(await resourceAt(this.#simulated, String(path))) });
    return { ...page, Members: whole };
  }

  /** Only collections have pages. */
  #page(fields: Fields, { path, query }: { readonly path: string; readonly query: string }): Fields {
    const { Members: members } = fields;
    if (!Array.isArray(members)) return fields;
    const size = this.#options.features?.pageSize ?? members.length;
    const skip = Number(new URLSearchParams(query).get('$skip') ?? 0);
    const isEndless = this.lies.hasEndlessPages === true;
    const page = {
      ...fields,
      'Members@odata.count': members.length,
      Members: members.slice(skip, skip + size),
    };
    if (!isEndless && skip + size >= members.length) return page;
    return { ...page, 'Members@odata.nextLink': `${path}?$skip=${isEndless ? 0 : skip + size}` };
  }

  async #change({ method, path, body, headers }: Asked): Promise<RedfishAnswer> {
    const { lies } = this;
    if (lies.refusesChanges === true) return refusal(403, 'InsufficientPrivilege');
    if (method === 'POST' && path === SUBSCRIPTIONS) return this.#subscribe(body);
    const precondition =
      method === 'PATCH' ? await this.#precondition(path, textOf(headers['if-match'])) : undefined;
    if (precondition !== undefined) return precondition;
    if (lies.task === 'fails') return this.#newTask();
    const refused = await perform(this.#simulated, { method, path, body });
    if (refused !== undefined) return refusal(refused.status, refused.message, refused.about);
    return lies.task === undefined ? { status: 204 } : this.#newTask();
  }

  async #precondition(path: string, given: string | undefined): Promise<RedfishAnswer | undefined> {
    const { lies } = this;
    if ((lies.matchRefusals ?? 0) > 0) {
      lies.matchRefusals = (lies.matchRefusals ?? 0) - 1;
      return refusal(412, 'PreconditionFailed');
    }
    if (given === undefined)
      return lies.needsMatch === true ? refusal(428, 'PreconditionRequired') : undefined;
    const found = await resourceAt(this.#simulated, path);
    const current = etagOf({ '@odata.id': path, ...found });
    return given === current ? undefined : refusal(412, 'PreconditionFailed');
  }

  #newTask(): RedfishAnswer {
    this.#taskLooks = 0;
    return { status: 202, headers: { Location: `${TASKS}/1` } };
  }

  #task(): RedfishAnswer {
    this.#taskLooks += 1;
    const isRunning = this.lies.task === 'never-ends' || this.#taskLooks <= TASK_LOOKS;
    if (isRunning) return { status: 202, fields: { Id: '1', TaskState: 'Running' } };
    const hasFailed = this.lies.task === 'fails';
    const messages = hasFailed ? [{ MessageId: 'Base.1.8.InternalError', Message: 'The job failed.' }] : [];
    const TaskState = hasFailed ? 'Exception' : 'Completed';
    return { status: 200, fields: { Id: '1', TaskState, TaskStatus: 'OK', Messages: messages } };
  }
}

function refusal(status: number, name: string, about: readonly string[] = []): RedfishAnswer {
  const info = {
    MessageId: `Base.1.18.${name}`,
    Message: `${name}: ${about.join(', ')}`,
    MessageArgs: about,
  };
  return {
    status,
    fields: {
      error: {
        code: 'Base.1.18.GeneralError',
        message: 'See ExtendedInfo.',
        '@Message.ExtendedInfo': [info],
      },
    },
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function etagOf(fields: Fields): string {
  return `"${createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 16)}"`;
}

function parsed(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
