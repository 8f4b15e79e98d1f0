import type { Hardware, Resource, Template, Workflow } from '@tinkerbell/resources';
import type { Change } from './store.ts';

/** The store as packets and agents see it: in memory, always there, at most moments behind. */
export interface View {
  /** The one Hardware that owns the MAC, or none. The first that was created owns it when several name it. */
  hardwareByMac(mac: string): readonly Hardware[];
  /** The one Hardware that owns the IPv4 address, or none. */
  hardwareByIp(address: string): readonly Hardware[];
  /** The one Hardware whose agent has this id by `spec.agentID`, or none; also none when another owns it as its MAC. */
  hardwareByAgent(agentId: string): readonly Hardware[];
  hardwareNamed(namespace: string, name: string): Hardware | undefined;
  templateNamed(namespace: string, name: string): Template | undefined;
  workflowNamed(namespace: string, name: string): Workflow | undefined;
  /** Workflows whose status.agentID is this agent and that may run on its machine, oldest first. */
  workflowsByAgent(agentId: string): readonly Workflow[];
  workflowsByHardware(namespace: string, hardwareName: string): readonly Workflow[];
  /** All objects of a collection. */
  all(collection: string): readonly Resource[];
  /** Called after the view has taken in a change. Returns the function that stops it. */
  onChange(listener: (change: Change) => void): () => void;
  /** False until the first list is in. */
  ready(): boolean;
}
