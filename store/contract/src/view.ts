import type { BmcMachine, Hardware, Resource, Template, Workflow } from '@tinkerbell/resources';
import type { Change } from './store.ts';

/** The store as packets and agents see it: in memory, always available, and at most moments behind. */
export interface View {
  /** Returns the one Hardware that owns the MAC, or none. When several name it, the first one created owns it. */
  hardwareByMac(mac: string): readonly Hardware[];
  /** Returns the one Hardware that owns the IPv4 address, or none. */
  hardwareByIp(address: string): readonly Hardware[];
  /**
   * Returns the one Hardware whose `spec.agentID` is this id, or none. It also returns none when another Hardware owns the id as
   * its MAC.
   */
  hardwareByAgent(agentId: string): readonly Hardware[];
  /** Returns all Hardware whose `spec.metadata.instance.id` is this id. No id finds none. */
  hardwareByInstanceId(id: string): readonly Hardware[];
  hardwareNamed(namespace: string, name: string): Hardware | undefined;
  templateNamed(namespace: string, name: string): Template | undefined;
  workflowNamed(namespace: string, name: string): Workflow | undefined;
  bmcMachineNamed(namespace: string, name: string): BmcMachine | undefined;
  /** Returns workflows whose status.agentID is this agent and that may run on its machine, oldest first. */
  workflowsByAgent(agentId: string): readonly Workflow[];
  workflowsByHardware(namespace: string, hardwareName: string): readonly Workflow[];
  /** Returns all objects of a collection. */
  all(collection: string): readonly Resource[];
  /**
   * The callback runs after the view has applied a change, also one that it found by listing again. `before` is the object as the view had it
   * until then, and undefined for a new one. Returns the function that stops it.
   */
  onChange(listener: (change: Change, before: Resource | undefined) => void): () => void;
  /** False until the first list is complete. */
  ready(): boolean;
}
