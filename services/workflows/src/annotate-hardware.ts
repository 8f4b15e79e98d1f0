/** Records what an agent reports about its machine, in the Hardware, at its very first action (upstream GetAction). */
import {
  ATTRIBUTES_ANNOTATION,
  attributesAnnotation,
  attributesJson,
  type AgentAttributes,
} from '@tinkerbell/enrollment';
import type { Log } from '@tinkerbell/platform-contract';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { hardwareCollection, type Store, type View } from '@tinkerbell/store-contract';
import type { ActionPlace } from '@tinkerbell/workflow';

interface Deps {
  readonly store: Store;
  readonly view: View;
  readonly log: Log;
}

interface FirstAction {
  readonly workflow: Workflow;
  readonly place: ActionPlace;
  /** Otherwise the Hardware that the workflow names. */
  readonly hardware: Hardware | undefined;
  readonly attributes: AgentAttributes | undefined;
}

/** Never rejects, because a missing annotation must not withhold an action. An existing annotation stays. */
export async function annotateHardware(deps: Deps, first: FirstAction): Promise<void> {
  const { workflow, attributes } = first;
  if (attributes === undefined || !isVeryFirst(first)) return;
  const named = deps.view.hardwareNamed(workflow.metadata.namespace, workflow.spec?.hardwareRef ?? '');
  const hardware = first.hardware ?? named;
  if (hardware === undefined || isAnnotated(hardware)) return;
  const annotation = attributesAnnotation(attributesJson(attributes));
  if (Object.keys(annotation).length === 0) return;
  const { namespace, name } = hardware.metadata;
  try {
    const updated = await hardwareCollection.update<'annotated'>(deps.store, hardware.metadata, (current) =>
      isAnnotated(current) ? { refusal: 'annotated' } : { object: withAnnotations(current, annotation) },
    );
    if (!updated.ok && updated.kind !== 'refused') throw new Error(updated.message);
  } catch (thrown) {
    deps.log.warn('attributes not kept in the hardware', {
      hardware: `${namespace}/${name}`,
      error: String(thrown),
    });
  }
}

function isVeryFirst({ workflow, place }: FirstAction): boolean {
  const [task] = workflow.status?.tasks ?? [];
  const [action] = task?.actions ?? [];
  return action?.state === 'PENDING' && action.id === place.action.id && task?.id === place.task.id;
}

type Annotated = Pick<Hardware, 'metadata'>;

function isAnnotated({ metadata }: Annotated): boolean {
  return metadata.annotations?.[ATTRIBUTES_ANNOTATION] !== undefined;
}

function withAnnotations<Object extends Annotated>(object: Object, added: Record<string, string>): Object {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...added } } };
}
