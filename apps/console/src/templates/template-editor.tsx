/** The text of a template, and beside it what it becomes for a machine. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Hardware, Resource, Template } from '@tinkerbell/resources';
import { hardware, pathOf, templates } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import YamlEditor from '../parts/yaml-editor.tsx';
import { YamlText } from '../parts/yaml-text.tsx';
import type { LineProblem } from '../parts/yaml-problems.ts';
import { templateCompletion } from './completions.ts';
import { useRendering, type RenderFault, type Rendering } from './use-rendering.ts';

interface TemplateEditorProps {
  readonly template: Template;
  readonly isNew: boolean;
  readonly onSaved: (object: Resource) => void;
}

// oxlint-disable-next-line import/no-default-export -- React.lazy reads the default export
export default function TemplateEditor({ template, isNew, onSaved }: TemplateEditorProps) {
  const { namespace, name } = template.metadata;
  const [text, setText] = useState('');
  const [machine, setMachine] = useChosenMachine(namespace);
  const { rendering, failure, problems } = useRendering({ namespace, name, yaml: text, machine });
  const words = `${shellWord(name)} --hardware ${shellWord(machine || 'MACHINE')}${inNamespace(namespace)}`;
  return (
    <>
      <div className="template-editor">
        <YamlEditor
          kind={templates}
          object={template}
          isNew={isNew}
          onSaved={onSaved}
          onText={setText}
          complete={templateCompletion}
          moreProblems={problems}
        />
        <section aria-label="Rendering" className="rendering">
          <MachineChoice namespace={namespace} machine={machine} onChoose={setMachine} />
          <RenderedText machine={machine} rendering={rendering} failure={failure} />
        </section>
      </div>
      <TinkCommand command={`tink template render ${words}`} />
    </>
  );
}

interface RenderedTextProps {
  readonly machine: string;
  readonly rendering: Rendering | undefined;
  readonly failure: string | undefined;
}

function RenderedText({ machine, rendering, failure }: RenderedTextProps) {
  const { error: fault, text = '', ok = false } = rendering ?? {};
  const isBad = fault !== undefined || failure !== undefined;
  return (
    <>
      <YamlText
        label={machine === '' ? 'Rendered text' : `Rendered text for ${machine}`}
        text={text}
        problems={fault?.where === 'rendered' ? [problemOf(fault)] : NO_PROBLEMS}
        isReadOnly
      />
      <p role="status" className={isBad ? 'bad-text' : 'quiet'}>
        {statusOf({ machine, fault, failure, isRendered: ok })}
      </p>
    </>
  );
}

const NO_PROBLEMS: readonly LineProblem[] = [];

function problemOf(fault: RenderFault): LineProblem {
  return { line: fault.line ?? 1, field: fault.path ?? '', message: fault.message };
}

interface Shown {
  readonly machine: string;
  readonly fault: RenderFault | undefined;
  readonly failure: string | undefined;
  readonly isRendered: boolean;
}

function statusOf({ machine, fault, failure, isRendered }: Shown): string {
  if (machine === '') return 'Choose a machine to see what the template becomes for it.';
  if (failure !== undefined) return failure;
  if (fault === undefined)
    return isRendered ? `A workflow for ${machine} would run this.` : 'The server renders it…';
  const { where, line, column, path = '', message } = fault;
  const place =
    where === undefined
      ? ''
      : `line ${line}, column ${column} of the ${where === 'template' ? 'template' : 'rendered text'}: `;
  return `${place}${path === '' ? '' : `${path}: `}${message}`;
}

/** In the address, so that a link shows the same. */
function useChosenMachine(namespace: string): readonly [machine: string, choose: (name: string) => void] {
  const search = useSearch({ strict: false });
  const first = useMachines(namespace)[0]?.metadata.name ?? '';
  const navigate = useNavigate();
  const choose = (name: string): void =>
    void navigate({ to: '.', search: { ...search, machine: name }, replace: true });
  return [search.machine ?? first, choose];
}

interface MachineChoiceProps {
  readonly namespace: string;
  readonly machine: string;
  readonly onChoose: (name: string) => void;
}

function MachineChoice({ namespace, machine, onChoose }: MachineChoiceProps) {
  const machines = useMachines(namespace);
  return (
    <label className="machine-choice">
      <span>Rendered for</span>
      <input
        list="machines-to-render"
        placeholder="a machine"
        value={machine}
        spellCheck={false}
        onChange={(event) => onChoose(event.currentTarget.value.trim())}
      />
      <datalist id="machines-to-render">
        {machines.map(({ metadata }) => (
          <option key={metadata.name} value={metadata.name} />
        ))}
      </datalist>
    </label>
  );
}

/** Offered by name. Any other can be typed. */
const MACHINES_MAX = 200;
const NONE: readonly Hardware[] = [];

function useMachines(namespace: string): readonly Hardware[] {
  const { data } = useQuery({
    queryKey: ['machines to render', namespace],
    queryFn: () =>
      sendForJson<{ readonly items: readonly Hardware[] }>(
        `${pathOf(hardware, namespace)}?limit=${MACHINES_MAX}`,
      ),
    retry: false,
  });
  return data?.items ?? NONE;
}
