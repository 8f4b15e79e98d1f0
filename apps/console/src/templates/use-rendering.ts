/** What the text of a template becomes for one machine, asked after every pause in typing. */
import { useEffect, useState } from 'react';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { isRecord } from '@tinkerbell/yaml/json';
import { pathOf, templates } from '../api/kinds.ts';
import { sendForJson, textOf } from '../api/request.ts';
import { problemInBlock, type LineProblem } from '../parts/yaml-problems.ts';

export interface RenderFault {
  readonly message: string;
  /** Which text line and column count in. Absent: the text reached a limit. */
  readonly where?: 'template' | 'rendered';
  readonly line?: number;
  readonly column?: number;
  readonly path?: string;
}

export interface Rendering {
  readonly ok: boolean;
  readonly text?: string;
  readonly error?: RenderFault;
}

interface Wanted {
  readonly namespace: string;
  readonly name: string;
  /** The Template as YAML. Nothing is rendered while it cannot be read. */
  readonly yaml: string;
  readonly machine: string;
}

const PAUSE_MS = 300;

interface ShownRendering {
  readonly rendering?: Rendering;
  readonly failure?: string;
  /** Of the template, at their lines of the YAML. */
  readonly problems: readonly LineProblem[];
}

const NO_PROBLEMS: readonly LineProblem[] = [];

/** Undefined until there is an answer. `failure` is the reason why the server did not render. */
export function useRendering({ namespace, name, yaml, machine }: Wanted) {
  const [shown, setShown] = useState<ShownRendering>({ problems: NO_PROBLEMS });
  useEffect(() => {
    if (yaml === '' || machine === '') return undefined;
    const ending = new AbortController();
    const timer = setTimeout(() => {
      const data = templateTextIn(yaml);
      if (data === undefined) return;
      const body = { hardware: machine, data };
      const path = `${pathOf(templates, namespace, name)}/render`;
      sendForJson<Rendering>(path, { method: 'POST', body, signal: ending.signal }).then(
        (rendering) => setShown({ rendering, problems: problemsInTemplate(yaml, rendering.error) }),
        (thrown: unknown) =>
          ending.signal.aborted || setShown({ failure: textOf(thrown), problems: NO_PROBLEMS }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [namespace, name, yaml, machine]);
  return shown;
}

/** Undefined while the YAML around it is broken. */
function templateTextIn(text: string): string | undefined {
  const parsed = parseYaml(text);
  const [document] = parsed.ok ? parsed.documents : [];
  const object = document === undefined ? undefined : toJson(document);
  const spec = isRecord(object) ? object['spec'] : undefined;
  const data = isRecord(spec) ? spec['data'] : undefined;
  return typeof data === 'string' ? data : undefined;
}

function problemsInTemplate(text: string, fault: RenderFault | undefined): readonly LineProblem[] {
  if (fault?.where !== 'template') return NO_PROBLEMS;
  const { column, message, line = 1 } = fault;
  const shown = column === undefined ? message : `column ${column} of the template: ${message}`;
  return [problemInBlock(text, { field: 'spec.data', line, message: shown })];
}
