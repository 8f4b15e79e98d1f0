/** An object as YAML. The server checks every pause in typing with a dry run, and its problems are shown at their lines. */
import { useEffect, useMemo, useState } from 'react';
import type { Resource } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { pathOf, type ConsoleKind } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { ApiFailure, sendForJson, textOf } from '../api/request.ts';
import { ActionButton } from './action-button.tsx';
import type { Complete } from './completion.ts';
import { showNotice } from './notices.tsx';
import { problemsAtLines, type LineProblem } from './yaml-problems.ts';
import { YamlText } from './yaml-text.tsx';

interface YamlEditorProps {
  readonly kind: ConsoleKind;
  readonly object: Resource;
  /** True for an object that does not exist yet. */
  readonly isNew?: boolean;
  readonly onSaved?: (object: Resource) => void;
  /** Receives the text as it is shown. */
  readonly onText?: (text: string) => void;
  readonly complete?: Complete;
  /** Problems that somebody else has found in the text. They do not prevent saving. */
  readonly moreProblems?: readonly LineProblem[];
}

const PAUSE_MS = 400;
const NONE: readonly LineProblem[] = [];
type Check = 'unchanged' | 'checking' | 'valid' | readonly LineProblem[];

// oxlint-disable-next-line import/no-default-export -- React.lazy reads the default export
export default function YamlEditor(props: YamlEditorProps) {
  const { kind, object, isNew = false, onText, complete, moreProblems } = props;
  const { text, setText, path, method, isChanged, isOld, reload, save } = useEdited(props);
  useEffect(() => onText?.(text), [onText, text]);
  const check = useCheck({ text, path, method, isUnchanged: !isChanged && !isNew });
  const found = typeof check === 'string' ? NONE : check;
  const problems = found.length > 0 ? found : (moreProblems ?? NONE);
  const refusal = useMay(object.metadata.namespace)(isNew ? 'create' : 'update', kind);
  return (
    <section aria-label="YAML">
      {isOld && <ChangedMeanwhile isTextChanged={isChanged} onReload={reload} />}
      <YamlText
        label={`${kind.noun} as YAML`}
        text={text}
        onChange={setText}
        problems={problems}
        isReadOnly={refusal !== undefined}
        complete={complete}
      />
      <div className="editor-end">
        <span role="status" className={found.length > 0 ? 'bad-text' : 'quiet'}>
          {statusText(check)}
        </span>
        <ActionButton tone="primary" refusal={refusal ?? whyNot(check)} onAct={() => void save()}>
          {isNew ? 'Create' : 'Save'}
        </ActionButton>
      </div>
      {problems.length > 0 && <ProblemList problems={problems} />}
    </section>
  );
}

/** The text, and what it was when it was opened or saved. */
function useEdited({ kind, object, isNew = false, onSaved }: YamlEditorProps) {
  const { namespace, name } = object.metadata;
  const [first, setFirst] = useState(() => yamlOf(object));
  const [text, setText] = useState(first);
  const path = isNew ? pathOf(kind, namespace) : pathOf(kind, namespace, name);
  const method: 'POST' | 'PUT' = isNew ? 'POST' : 'PUT';
  const show = (shown: Resource): void => {
    setFirst(yamlOf(shown));
    setText(yamlOf(shown));
  };
  const save = async (): Promise<void> => {
    try {
      const saved = await sendForJson<Resource>(`${path}?fieldValidation=Strict`, { method, body: text });
      showNotice({ text: `${saved.metadata.name} is saved`, tone: 'good' });
      show(saved);
      onSaved?.(saved);
    } catch (thrown) {
      showNotice({ text: textOf(thrown), tone: 'bad' });
    }
  };
  const stored = useMemo(() => yamlOf(object), [object]);
  const isOld = !isNew && stored !== first;
  const reload = (): void => show(object);
  return { text, setText, path, method, isChanged: text !== first, isOld, reload, save };
}

function ChangedMeanwhile({
  isTextChanged,
  onReload,
}: {
  readonly isTextChanged: boolean;
  readonly onReload: () => void;
}) {
  return (
    <p className="banner">
      Somebody has changed this object meanwhile.{' '}
      <button type="button" className="button plain" onClick={onReload}>
        {isTextChanged ? 'Drop my text and show it' : 'Show it'}
      </button>
    </p>
  );
}

function ProblemList({ problems }: { readonly problems: readonly LineProblem[] }) {
  return (
    <ul className="failure" aria-label="Problems">
      {problems.map(({ line, field, message }) => (
        <li key={`${field} ${message}`}>
          line {line}: {field !== '' && <code>{field}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

function statusText(check: Check): string {
  if (check === 'unchanged') return 'Nothing is changed';
  if (check === 'checking') return 'The server checks it…';
  if (check === 'valid') return 'The server accepts it';
  return check.length === 1 ? '1 problem' : `${check.length} problems`;
}

function whyNot(check: Check): string | undefined {
  return check === 'valid' ? undefined : `${statusText(check)}.`;
}

interface Checked {
  readonly text: string;
  readonly path: string;
  readonly method: 'POST' | 'PUT';
  readonly isUnchanged: boolean;
}

function useCheck({ text, path, method, isUnchanged }: Checked): Check {
  const [check, setCheck] = useState<Check>('checking');
  useEffect(() => {
    if (isUnchanged) return undefined;
    const ending = new AbortController();
    setCheck('checking');
    const timer = setTimeout(() => {
      const query = 'dryRun=All&fieldValidation=Strict';
      sendForJson(`${path}?${query}`, { method, body: text, signal: ending.signal }).then(
        () => setCheck('valid'),
        (thrown: unknown) => {
          if (ending.signal.aborted) return;
          const failure = thrown instanceof ApiFailure ? thrown : new ApiFailure(0, String(thrown));
          setCheck(problemsAtLines(text, failure));
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text, path, method, isUnchanged]);
  return useMemo(() => (isUnchanged ? 'unchanged' : check), [isUnchanged, check]);
}

/** Without what only the server writes. The revision stays, so that no change of others is overwritten. */
function yamlOf({ metadata, ...object }: Resource): string {
  const {
    managedFields: _fields,
    uid: _uid,
    creationTimestamp: _created,
    generation: _generation,
    ...own
  } = metadata;
  const { status: _status, ...rest } = object;
  const { apiVersion, kind, ...content } = rest;
  return stringifyYaml({ apiVersion, kind, metadata: own, ...content });
}
