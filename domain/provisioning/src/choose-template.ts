/** Selects the Template of a job. */
import type { Template } from '@tinkerbell/resources';
import { refuse, type Result } from './failure.ts';
import { OS_IMAGE_LABEL } from './job-name.ts';

export type TemplateChoice = { readonly os_image: string } | { readonly template: string };

/** `templates` are all of one namespace. */
export function chooseTemplate(choice: TemplateChoice, templates: readonly Template[]): Result<Template> {
  return 'template' in choice
    ? templateNamed(choice.template, templates)
    : templateOfImage(choice.os_image, templates);
}

function templateNamed(name: string, templates: readonly Template[]): Result<Template> {
  const found = templates.find(({ metadata }) => metadata.name === name);
  if (found !== undefined) return { ok: true, value: found };
  const there = shown(templates.map(({ metadata }) => metadata.name));
  return refuse('not-found', `template: there is no Template ${name}; there are: ${there}`, 'template');
}

/** Selects by label, and by name only where no label matches. */
function templateOfImage(image: string, templates: readonly Template[]): Result<Template> {
  const [found, ...more] = templates.filter(({ metadata }) => metadata.labels?.[OS_IMAGE_LABEL] === image);
  if (more.length > 0) {
    const candidates = shown([found, ...more].map((one) => one?.metadata.name ?? ''));
    return refuse(
      'failed-precondition',
      `os_image: more than one Template has the label ${OS_IMAGE_LABEL}=${image}: ${candidates}; leave one, or create a job with template`,
      'os_image',
    );
  }
  const chosen = found ?? templates.find(({ metadata }) => metadata.name === image);
  if (chosen !== undefined) return { ok: true, value: chosen };
  const candidates = templates.map(({ metadata }) => metadata.labels?.[OS_IMAGE_LABEL] ?? metadata.name);
  return refuse(
    'not-found',
    `os_image: no Template has the label ${OS_IMAGE_LABEL}=${image} or that name; there are: ${shown(candidates)}`,
    'os_image',
  );
}

/** A site can have hundreds. */
const NAMES_SHOWN = 20;

function shown(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const sorted = [...new Set(names)].toSorted();
  const more = sorted.length > NAMES_SHOWN ? ` and ${sorted.length - NAMES_SHOWN} more` : '';
  return sorted.slice(0, NAMES_SHOWN).join(', ') + more;
}
