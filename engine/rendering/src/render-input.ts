/** The input with which the Template of a workflow is rendered, taken from the current objects. */
import { collectionOf, kinds, type Hardware, type Resource, type Workflow } from '@tinkerbell/resources';
import {
  allowedReferences,
  type ObjectReference,
  type ReferenceRules,
  type RenderInput,
} from '@tinkerbell/template';
import type { ObjectKey, View } from '@tinkerbell/store-contract';

export type RenderInputFound =
  | {
      readonly ok: true;
      readonly input: RenderInput;
      /** This text changes whenever the result of the rendering may change. */
      readonly version: string;
    }
  /** The Template or the Hardware does not exist. */
  | { readonly ok: false; readonly message: string };

export function renderInputOf(view: View, rules: ReferenceRules, workflow: Workflow): RenderInputFound {
  const { namespace, name } = workflow.metadata;
  const { templateRef = '', hardwareRef = '', hardwareMap = {} } = workflow.spec ?? {};
  const template = view.templateNamed(namespace, templateRef);
  if (template === undefined)
    return { ok: false, message: `template not found: ${namespace}/${templateRef}` };
  const hardware = hardwareRef === '' ? undefined : view.hardwareNamed(namespace, hardwareRef);
  if (hardwareRef !== '' && hardware === undefined)
    return { ok: false, message: `hardware not found: ${namespace}/${hardwareRef}` };
  const { objects, ...references } = referencedObjects({ view, referenceRules: rules }, hardware);
  const input = { templateName: name, text: template.spec?.data ?? '', hardware, hardwareMap, ...references };
  return { ok: true, input, version: versionOf(input, hardware, objects) };
}

function versionOf(
  { text, hardwareMap, referenceProblems }: RenderInput,
  hardware: Hardware | undefined,
  objects: ReadonlyMap<string, Resource>,
): string {
  const ofHardware = [hardware?.metadata.name, hardware?.metadata.resourceVersion];
  const ofObjects = [...objects].map(([key, { metadata }]) => [key, metadata.uid, metadata.resourceVersion]);
  return JSON.stringify([text, ofHardware, hardwareMap, ofObjects, referenceProblems]);
}

/** The objects on which the rendering for that Hardware may depend, whether they exist or not. */
export function referencedKeys(hardware: Hardware, rules: ReferenceRules): readonly ObjectKey[] {
  const { references } = allowedReferences(hardware, rules);
  return [...references.values()].map(({ resource, group, namespace, name }) => ({
    collection: `${resource}.${group}`,
    namespace,
    name,
  }));
}

export interface Referenced extends Pick<RenderInput, 'references' | 'referenceProblems'> {
  /** The objects, by their names in the Hardware. */
  readonly objects: ReadonlyMap<string, Resource>;
}

/** `mayRead`: whether the reader of the result may see the object (default: every one that the rules allow). */
export function referencedObjects(
  { view, referenceRules }: { readonly view: View; readonly referenceRules: ReferenceRules },
  hardware: Hardware | undefined,
  mayRead: (reference: ObjectReference) => boolean = () => true,
): Referenced {
  const objects = new Map<string, Resource>();
  if (hardware?.spec?.references === undefined) return { objects };
  const { references, denied } = allowedReferences(hardware, referenceRules);
  const problems = denied === '' ? [] : [denied];
  for (const [name, reference] of references) {
    const object = objectOf(view, reference);
    if (!mayRead(reference)) problems.push(`reference forbidden to you: ${name}`);
    else if (object === undefined) problems.push(`reference not found: ${name}`);
    else objects.set(name, object);
  }
  return { objects, references: Object.fromEntries(objects), referenceProblems: problems.join('\n') };
}

/** Returns undefined also for a kind that this server does not keep. */
function objectOf(view: View, reference: ObjectReference): Resource | undefined {
  const { group, version, resource, namespace, name } = reference;
  const kind = kinds.find((one) => one.group === group && one.version === version && one.plural === resource);
  if (kind === undefined) return undefined;
  return view
    .all(collectionOf(kind))
    .find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
}
