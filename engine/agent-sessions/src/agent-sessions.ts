/**
 * Sessions of agents: which agents are allowed, and for which workflow. This package reads and writes. `domain/agent-identity`
 * decides.
 */
import {
  admit,
  agentRefusal,
  BOOT_NONCE_BYTES,
  checkToken,
  decodeToken,
  encodeBootToken,
  encodeSessionToken,
  exchange,
  SESSION_ID_BYTES,
  workflowMark,
  type AgentAuthMode,
  type AgentRefusal,
  type BootToken,
  type SessionToken,
  type TokenKey,
  type WorkflowPlace,
} from '@tinkerbell/agent-identity';
import type {
  AgentAdmission,
  AgentCall,
  AgentGate,
  AgentSession,
  BootTokenMint,
  Clock,
  ExchangedToken,
  Random,
  SessionVerifier,
  VerifiedSession,
} from '@tinkerbell/platform-contract';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { Store, View } from '@tinkerbell/store-contract';
import { bytesToHex, type Mac } from '@tinkerbell/wire';
import { isAgentOf, machinesOfAgent, machineWithMac } from './machines.ts';
import { Records } from './records.ts';
import { isOver, WorkflowEnds } from './workflow-ends.ts';

export interface AgentSessionsDeps {
  readonly store: Store;
  readonly view: View;
  readonly clock: Clock;
  readonly random: Random;
  readonly key: TokenKey;
}

export type AgentSessions = AgentGate & SessionVerifier & BootTokenMint;

/** The time from the script to the agent. It includes loading the kernel and the initrd, and a machine's firmware in between. */
const BOOT_TOKEN_SECONDS = 900;
/** A machine may wait in the in-memory OS for weeks. The session ends with its workflow anyway. */
const SESSION_SECONDS = 2_592_000;

export function createAgentSessions(deps: AgentSessionsDeps, mode: AgentAuthMode): AgentSessions {
  return new StoredSessions(deps, mode);
}

type Presented =
  | { readonly ok: true; readonly token?: SessionToken }
  | { readonly ok: false; readonly refusal: AgentRefusal };

class StoredSessions implements AgentSessions {
  readonly #deps: AgentSessionsDeps;
  readonly #mode: AgentAuthMode;
  readonly #records: Records;
  readonly #ends: WorkflowEnds;

  constructor(deps: AgentSessionsDeps, mode: AgentAuthMode) {
    this.#deps = deps;
    this.#mode = mode;
    this.#records = new Records(deps);
    this.#ends = new WorkflowEnds(deps.view, deps.clock);
  }

  mint(mac: Mac, workflowUid: string | undefined): string {
    const { key, random } = this.#deps;
    const expiresSeconds = this.#nowSeconds() + BOOT_TOKEN_SECONDS;
    const workflow = workflowMark(workflowUid, key);
    return encodeBootToken({ mac, expiresSeconds, workflow, nonce: random.bytes(BOOT_NONCE_BYTES) }, key);
  }

  async admit({ agentId, session, purpose }: AgentCall): Promise<AgentAdmission> {
    if (this.#mode === 'off') return { ok: true };
    const presented = this.#presented(session, agentId);
    if (!presented.ok) return presented;
    const { token } = presented;
    const { view } = this.#deps;
    const mustAsk = token !== undefined || this.#mode !== 'required';
    const machines = token === undefined ? machinesOfAgent(view, agentId) : [machineWithMac(view, token.mac)];
    const records = mustAsk ? await this.#records.of(machines) : [];
    const admitted = admit({
      mode: this.#mode,
      presented: token,
      records,
      lifeOf: (record) => this.#ends.lifeOf(record.workflow),
      nowSeconds: this.#nowSeconds(),
      purpose,
    });
    if (!admitted.ok || admitted.record === undefined || token === undefined) return admitted;
    const { sessionId: id, workflow } = admitted.record;
    return { ok: true, session: { id, mac: token.mac, ...(workflow === undefined ? {} : { workflow }) } };
  }

  async verify(session: string): Promise<VerifiedSession> {
    const presented = this.#presented(session);
    if (!presented.ok) return presented;
    const { token } = presented;
    if (token === undefined) return { ok: false, refusal: agentRefusal('no-token') };
    const hardware = machineWithMac(this.#deps.view, token.mac);
    const [record] = await this.#records.of([hardware]);
    if (hardware === undefined || record?.sessionId !== bytesToHex(token.sessionId))
      return { ok: false, refusal: agentRefusal('fenced') };
    if (this.#ends.lifeOf(record.workflow) !== 'live') return { ok: false, refusal: agentRefusal('ended') };
    const { namespace, name } = hardware.metadata;
    return { ok: true, mac: token.mac, hardware: { namespace, name } };
  }

  async exchange({
    agentId,
    bootToken,
  }: {
    readonly agentId: string;
    readonly bootToken: string;
  }): Promise<ExchangedToken> {
    const { key, random, view } = this.#deps;
    const token = decodeToken(bootToken, key);
    if (token?.purpose !== 'boot') return { ok: false, refusal: agentRefusal('invalid') };
    const { mac } = token;
    const hardware = machineWithMac(view, mac);
    if (hardware === undefined) return { ok: false, refusal: agentRefusal('invalid'), mac };
    if (!isAgentOf(hardware, mac, agentId))
      return { ok: false, refusal: agentRefusal('another-machine'), mac };
    const workflow = this.#workflowOf(token, hardware, agentId);
    if (workflow === 'gone') return { ok: false, refusal: agentRefusal('ended'), mac };
    const sessionId = random.bytes(SESSION_ID_BYTES);
    const expiresSeconds = this.#nowSeconds() + SESSION_SECONDS;
    const session = { id: bytesToHex(sessionId), agentId, expiresSeconds, workflow };
    const refusal = await this.#records.change(hardware, (record) =>
      exchange({ record, token, nowSeconds: this.#nowSeconds(), session }),
    );
    if (refusal !== undefined) return { ok: false, refusal, mac };
    const text = encodeSessionToken(
      { mac, expiresSeconds, workflow: token.workflow, sessionId, agentId },
      key,
    );
    return { ok: true, session: text, expiresSeconds };
  }

  async bind({ id, mac, workflow }: AgentSession, wanted: WorkflowPlace): Promise<AgentRefusal | undefined> {
    if (workflow !== undefined)
      return workflow.uid === wanted.uid ? undefined : agentRefusal('another-workflow');
    const hardware = machineWithMac(this.#deps.view, mac);
    if (hardware === undefined) return agentRefusal('fenced');
    return this.#records.change(hardware, (record) => {
      if (record?.sessionId !== id) return { refusal: agentRefusal('fenced') };
      if (record.workflow === undefined) return { record: { ...record, workflow: wanted } };
      return record.workflow.uid === wanted.uid ? { record } : { refusal: agentRefusal('another-workflow') };
    });
  }

  /** Performs all checks that need no store, so that invalid tokens cause no read. */
  #presented(session: string | undefined, agentId?: string): Presented {
    if (session === undefined) return { ok: true };
    const token = decodeToken(session, this.#deps.key);
    if (token?.purpose !== 'session') return { ok: false, refusal: agentRefusal('invalid') };
    const nowSeconds = this.#nowSeconds();
    const refusal = checkToken(token, { agentId: agentId ?? token.agentId, nowSeconds });
    return refusal === undefined ? { ok: true, token } : { ok: false, refusal };
  }

  /**
   * Returns the workflow that a boot token is for, while it has not ended. Returns undefined when the token is for no workflow.
   */
  #workflowOf(token: BootToken, hardware: Hardware, agentId: string): WorkflowPlace | undefined | 'gone' {
    const { key, view } = this.#deps;
    if (key.isSame(token.workflow, workflowMark(undefined, key))) return undefined;
    const { namespace, name } = hardware.metadata;
    const all = [...view.workflowsByHardware(namespace, name), ...view.workflowsByAgent(agentId)];
    const found = all.find(({ metadata: { uid } }) => key.isSame(token.workflow, workflowMark(uid, key)));
    return found === undefined || isOver(found) ? 'gone' : placeOf(found);
  }

  #nowSeconds(): number {
    return Math.floor(this.#deps.clock.nowMs() / 1000);
  }
}

function placeOf({ metadata: { namespace, name, uid = '' } }: Workflow): WorkflowPlace {
  return { namespace, name, uid };
}
