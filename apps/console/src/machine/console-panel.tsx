/** The serial console, over the WebSocket of the server. The terminal loads only here. */
import { useEffect, useRef, useState } from 'react';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { Hardware } from '@tinkerbell/resources';
import { hardware } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { EmptyPage } from '../parts/empty-page.tsx';
import { withoutStyleElements } from './style-elements.ts';

const PROTOCOL = 'tinkerbell.console.v1';

// oxlint-disable-next-line import/no-default-export -- React.lazy reads the default export
export default function ConsolePanel({ machine }: { readonly machine: Hardware }) {
  const { namespace, name } = machine.metadata;
  const hint = hintFor(machine);
  const refusal = useMay(namespace)('create', hardware, 'console');
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState('connecting');
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (place.current === null || refusal !== undefined) return undefined;
    const path = `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    return openConsole(place.current, { path, hint }, setState);
  }, [namespace, name, hint, refusal, attempt]);
  if (refusal !== undefined)
    return (
      <EmptyPage title="You cannot use the console">
        <p>{refusal}</p>
      </EmptyPage>
    );
  return (
    <section className="console" aria-label="Serial console">
      <p role="status" className="console-state">
        {state}
        {state.startsWith('closed') && (
          <button type="button" className="button plain" onClick={() => setAttempt(attempt + 1)}>
            Connect again
          </button>
        )}
      </p>
      <div className="terminal" ref={place} />
    </section>
  );
}

interface WantedConsole {
  /** `<namespace>/<name>` of the machine, encoded. */
  readonly path: string;
  /** What to do when the server does not open it. */
  readonly hint: string;
}

/** Returns the function that closes it. */
function openConsole(
  place: HTMLElement,
  { path, hint }: WantedConsole,
  report: (state: string) => void,
): () => void {
  const terminal = withoutStyleElements(() => {
    const made = new Terminal({ fontSize: 13, scrollback: 5000, convertEol: false, screenReaderMode: true });
    made.open(place);
    return made;
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  fit.fit();
  const resized = new ResizeObserver(() => fit.fit());
  resized.observe(place);
  const url = new URL(`/consoles/${path}`, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url, [PROTOCOL]);
  socket.binaryType = 'arraybuffer';
  report('connecting');
  socket.onopen = () => report('connected; everybody who watches sees what you type');
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) =>
    terminal.write(typeof data === 'string' ? data : new Uint8Array(data));
  socket.onclose = ({ reason, wasClean }) =>
    report(`closed: ${reason || (wasClean ? 'the console ended' : hint)}`);
  const typed = terminal.onData((keys) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(new TextEncoder().encode(keys));
  });
  return () => {
    socket.onclose = null;
    socket.close();
    typed.dispose();
    resized.disconnect();
    terminal.dispose();
  };
}

function hintFor({ spec }: Hardware): string {
  const setting =
    spec?.bmcRef === undefined
      ? 'Set spec.bmcRef of the machine'
      : 'Start the server with --enable-secondstar';
  return `the server offers no console for this machine. ${setting}`;
}
