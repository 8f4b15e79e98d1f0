/** Renders Workflows before they are sent. A template that does not fit its hardware is rejected with its place in the file. */
import {
  hardwareKind,
  nearest,
  ofKind,
  templateKind,
  workflowKind,
  type Hardware,
  type Kind,
  type ManifestProblem,
  type Resource,
} from '@tinkerbell/resources';
import { templatePlatform } from '@tinkerbell/platform-template';
import {
  foreignImagesIn,
  foreignImagesOf,
  foreignImageWarning,
  renderTemplate,
  renderText,
  templateData,
  type RenderError,
  type RenderInput,
} from '@tinkerbell/template';
import { positionOf, type Position } from '@tinkerbell/yaml';
import { templateLineOf } from './rendered-line.ts';
import {
  keyOf,
  positionInTemplate,
  problemAt,
  templateTextOf,
  type LocatedObject,
} from '../manifests/manifest-objects.ts';

export interface Reference {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** The Templates and Hardware that Workflows reference and that the files do not contain. */
export function missingReferences(objects: readonly LocatedObject[]): readonly Reference[] {
  const known = new Set(
    objects.map(({ kind, resource: { metadata } }) => keyOf(kind, metadata.namespace, metadata.name)),
  );
  const missing = new Map<string, Reference>();
  for (const reference of objects.filter(isWorkflow).flatMap(referencesOf)) {
    const key = keyOf(reference.kind, reference.namespace, reference.name);
    if (!known.has(key)) missing.set(key, reference);
  }
  return [...missing.values()];
}

function isWorkflow({ kind }: LocatedObject): boolean {
  return kind.kind === 'Workflow';
}

function referencesOf({ resource }: LocatedObject): Reference[] {
  const { spec, metadata } = ofKind(resource, workflowKind);
  const { namespace } = metadata;
  return [
    ...(spec?.templateRef ? [{ kind: templateKind, namespace, name: spec.templateRef }] : []),
    ...(spec?.hardwareRef ? [{ kind: hardwareKind, namespace, name: spec.hardwareRef }] : []),
  ];
}

export interface RenderCheck {
  readonly problems: readonly ManifestProblem[];
  /** Missing references, which are allowed because objects may come in any order, and images that our agent cannot run. */
  readonly warnings: readonly ManifestProblem[];
  /** Workflows that only the server can render. */
  readonly unchecked?: ReadonlySet<Resource>;
}

/** `fromServer` is what the server has of `missingReferences`; undefined if it was not asked. */
export function checkRendering(
  objects: readonly LocatedObject[],
  fromServer: readonly Resource[] | undefined,
): RenderCheck {
  const templates = new Map<string, LocatedObject>();
  const resources = new Map<string, Resource>();
  for (const object of objects) {
    const { namespace, name } = object.resource.metadata;
    const key = keyOf(object.kind, namespace, name);
    resources.set(key, object.resource);
    if (object.kind.kind === 'Template') templates.set(key, object);
  }
  for (const resource of fromServer ?? []) {
    const kind = resource.kind === 'Template' ? templateKind : hardwareKind;
    resources.set(keyOf(kind, resource.metadata.namespace, resource.metadata.name), resource);
  }
  const workflows = objects.filter(isWorkflow);
  const checks = workflows.map((workflow) => renderCheck(workflow, { templates, resources }));
  const dangling =
    fromServer === undefined ? [] : workflows.flatMap((workflow) => danglingWarnings(workflow, resources));
  const images = [
    ...[...templates.values()].flatMap(imageWarnings),
    ...checks.flatMap((one) => one.warnings),
  ];
  const unchecked = new Set(checks.flatMap((one) => [...(one.unchecked ?? [])]));
  const problems = checks.flatMap((one) => one.problems);
  return { problems, warnings: [...dangling, ...images], unchecked };
}

interface Known {
  /** The objects of the files. */
  readonly templates: ReadonlyMap<string, LocatedObject>;
  readonly resources: ReadonlyMap<string, Resource>;
}

function renderCheck(located: LocatedObject, { templates, resources }: Known): RenderCheck {
  const workflow = ofKind(located.resource, workflowKind);
  const { namespace, name } = workflow.metadata;
  const { templateRef = '', hardwareRef = '', hardwareMap = {} } = workflow.spec ?? {};
  const templateKey = keyOf(templateKind, namespace, templateRef);
  const template = resources.get(templateKey);
  const foundHardware = resources.get(keyOf(hardwareKind, namespace, hardwareRef));
  const hardware = foundHardware && ofKind(foundHardware, hardwareKind);
  if (template === undefined) return { problems: [], warnings: [] };
  if (!isEnough(hardware, hardwareRef))
    return { problems: [], warnings: [], unchecked: new Set([located.resource]) };
  const input = {
    templateName: name,
    text: templateTextOf(template) ?? '',
    hardware,
    hardwareMap,
    platform: templatePlatform,
  };
  const rendered = renderTemplate(input);
  const inFiles = templates.get(templateKey);
  if (!rendered.ok)
    return { problems: [renderProblem(located, inFiles, { error: rendered.error, input })], warnings: [] };
  const warned = inFiles === undefined ? [] : foreignImagesIn(input.text).map(({ image }) => image);
  const images = foreignImagesOf(rendered.workflow).filter((image) => !warned.includes(image));
  const at = (image: string) =>
    problemAt(located, ['spec', 'templateRef'], `spec.templateRef: ${foreignImageWarning(image)}`);
  return { problems: [], warnings: images.map(at) };
}

function imageWarnings(template: LocatedObject): ManifestProblem[] {
  const text = templateTextOf(template.resource) ?? '';
  return foreignImagesIn(text).map(({ image, line, column }) => ({
    file: template.file.name,
    ...positionInTemplate(template, { line, column }),
    message: `spec.data: ${foreignImageWarning(image)}`,
  }));
}

/** Only the server knows what `spec.references` names and whether a template may read it. The server renders again. */
function isEnough(hardware: Hardware | undefined, hardwareRef: string): boolean {
  return hardware === undefined ? hardwareRef === '' : hardware.spec?.references === undefined;
}

/** The place in the template's text if it is in the files, else the workflow's reference to it. */
function renderProblem(
  located: LocatedObject,
  template: LocatedObject | undefined,
  { error, input }: { readonly error: RenderError; readonly input: RenderInput },
): ManifestProblem {
  const { metadata, spec } = ofKind(located.resource, workflowKind);
  const on = spec?.hardwareRef ? ` on hardware ${spec.hardwareRef}` : '';
  const subject = `template ${spec?.templateRef} does not render for workflow ${metadata.name}${on}`;
  if (template === undefined) {
    const message = `spec.templateRef: ${subject}: ${placeIn(error)}${error.message}`;
    return problemAt(located, ['spec', 'templateRef'], message);
  }
  const message = `spec.data: ${subject}: ${detailOf(error)}`;
  return { file: template.file.name, ...placeInFile(template, error, input), message };
}

function placeIn({ where, line, column }: RenderError): string {
  return `line ${line}, column ${column} of the ${where === 'template' ? 'template' : 'rendered text'}: `;
}

function detailOf(error: RenderError): string {
  if (error.where === 'template') return error.message;
  const path = error.path === undefined ? '' : `${error.path}: `;
  return `${path}${error.message} (line ${error.line} of the rendered text)`;
}

/** Maps an error in the rendered text to the template line that produced it, if it can be found. */
function placeInFile(template: LocatedObject, error: RenderError, input: RenderInput): Position {
  if (error.where === 'template') return positionInTemplate(template, error);
  const rendered = renderText(input, templateData(input.hardware, input.hardwareMap ?? {}), input);
  const line = rendered.ok ? templateLineOf(input.text, rendered.text, error.line) : undefined;
  if (line === undefined) return positionOf(template.node, ['spec', 'data']);
  const indent = /^[\s-]*/.exec(input.text.split('\n')[line - 1] ?? '')?.[0].length ?? 0;
  return positionInTemplate(template, { line, column: indent + 1 });
}

function danglingWarnings(
  located: LocatedObject,
  resources: ReadonlyMap<string, Resource>,
): ManifestProblem[] {
  return referencesOf(located)
    .filter(({ kind, namespace, name }) => !resources.has(keyOf(kind, namespace, name)))
    .map(({ kind, namespace, name }) => {
      const names = [...resources.values()]
        .filter((one) => one.kind === kind.kind && one.metadata.namespace === namespace)
        .map((one) => one.metadata.name);
      const close = nearest(name, names);
      const hint = close === undefined ? '' : `; did you mean ${close}?`;
      const field = kind === templateKind ? 'templateRef' : 'hardwareRef';
      const message = `spec.${field}: ${kind.singular} "${name}" not found in namespace ${namespace}, neither in the files nor on the server; the workflow waits for it${hint}`;
      return problemAt(located, ['spec', field], message);
    });
}
