/** What the text of a template becomes for one machine, asked after every pause in typing. */
import { useEffect, useState } from 'react';
import { pathOf, templates } from '../api/kinds.ts';
import { sendForJson, textOf } from '../api/request.ts';

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
  /** The text of the template. Undefined: it cannot be read from the editor. */
  readonly data: string | undefined;
  readonly machine: string;
}

const PAUSE_MS = 300;

/** Undefined until there is an answer. `failure` is the reason why the server did not render. */
export function useRendering({ namespace, name, data, machine }: Wanted) {
  const [shown, setShown] = useState<{ readonly rendering?: Rendering; readonly failure?: string }>({});
  useEffect(() => {
    if (data === undefined || machine === '') return undefined;
    const ending = new AbortController();
    const timer = setTimeout(() => {
      const body = { hardware: machine, data };
      const path = `${pathOf(templates, namespace, name)}/render`;
      sendForJson<Rendering>(path, { method: 'POST', body, signal: ending.signal }).then(
        (rendering) => setShown({ rendering }),
        (thrown: unknown) => ending.signal.aborted || setShown({ failure: textOf(thrown) }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [namespace, name, data, machine]);
  return shown;
}
