/** Active checks: what the server, the agent of a neighbour, or a relay tries for the machine when somebody asks. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Check } from '@tinkerbell/diagnosis/boots';
import type { Hardware } from '@tinkerbell/resources';
import { hardware, pathOf } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { sendForJson } from '../api/request.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';

const SERVER = 'server';
/** Agents connect when their machines start the in-memory OS. */
const PLACES_MS = 15_000;

type Outcome =
  | { readonly kind: 'none' | 'running' }
  | { readonly kind: 'done'; readonly place: string; readonly checks: readonly Check[] }
  | { readonly kind: 'failed'; readonly failure: unknown };

interface ChecksCardProps {
  readonly machine: Hardware;
  /** The verdict may have new evidence. */
  readonly onChecked: () => void;
}

export function ChecksCard({ machine, onChecked }: ChecksCardProps) {
  const { namespace, name } = machine.metadata;
  const refusal = useMay(namespace)('create', hardware, 'diagnosis');
  const places = [SERVER, ...useOtherPlaces(machine)];
  const [chosen, setChosen] = useState(SERVER);
  const place = places.find((one) => one === chosen) ?? SERVER;
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const isRunning = outcome.kind === 'running';
  const check = async (): Promise<void> => {
    setOutcome({ kind: 'running' });
    try {
      const path = `${pathOf(hardware, namespace, name)}/diagnosis?from=${encodeURIComponent(place)}`;
      const { checks } = await sendForJson<{ readonly checks: readonly Check[] }>(path, { method: 'POST' });
      setOutcome({ kind: 'done', place, checks });
      onChecked();
    } catch (failure) {
      setOutcome({ kind: 'failed', failure });
    }
  };
  return (
    <section className="card checks" aria-label="Checks">
      <div className="checks-head">
        <h2>Checks</h2>
        <p className="quiet">
          {place === SERVER
            ? 'The server probes the address of the machine, reads its BMC, and shows the end of its recorded console.'
            : `${capital(placeText(place))} probes the address, and tries the ports of the server as this machine would.`}
        </p>
        <select
          aria-label="Check from"
          value={place}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          {places.map((one) => (
            <option key={one} value={one}>
              from {placeText(one)}
            </option>
          ))}
        </select>
        <ActionButton
          refusal={refusal ?? (isRunning ? 'The checks are running' : undefined)}
          onAct={() => void check()}
        >
          Check now
        </ActionButton>
      </div>
      <div role="status">
        <Result outcome={outcome} />
      </div>
      <TinkCommand
        command={`tink doctor ${shellWord(name)}${inNamespace(namespace)} --check --from ${shellWord(place)}`}
      />
    </section>
  );
}

function placeText(place: string): string {
  const [kind, ...name] = place.split(':');
  if (kind === SERVER) return 'the server';
  return kind === 'relay' ? `the relay ${name.join(':')}` : `the agent of ${name.join(':')}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Machines of its network whose agents are connected, and connected relays of its network. */
function useOtherPlaces(machine: Hardware): readonly string[] {
  const { namespace, name } = machine.metadata;
  const { data } = useQuery({
    queryKey: ['neighbours', namespace, name],
    queryFn: () =>
      sendForJson<{ readonly neighbours?: readonly string[]; readonly relays?: readonly string[] }>(
        `${pathOf(hardware, namespace, name)}/diagnosis?neighbours=true`,
      ),
    refetchInterval: PLACES_MS,
    retry: false,
  });
  const { neighbours = [], relays = [] } = data ?? {};
  return [...neighbours.map((name) => `agent:${name}`), ...relays.map((name) => `relay:${name}`)];
}

function Result({ outcome }: { readonly outcome: Outcome }) {
  switch (outcome.kind) {
    case 'none':
      return null;
    case 'running':
      return (
        <p className="mini-progress">
          <progress aria-label="Checks" /> Checking…
        </p>
      );
    case 'failed':
      return <FailureText failure={outcome.failure} />;
    case 'done':
      return <CheckRows place={outcome.place} checks={outcome.checks} />;
    default:
      return outcome satisfies never;
  }
}

const tones: Readonly<Record<Check['state'], string>> = {
  ok: 'good',
  note: 'calm',
  warning: 'warn',
  failed: 'bad',
};

function CheckRows({ place, checks }: { readonly place: string; readonly checks: readonly Check[] }) {
  return (
    <ul className="rows" aria-label={`Checks from ${placeText(place)}`}>
      {checks.map(({ check, state, message }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the list is replaced as a whole, and lines of a console repeat
        <li key={`${at} ${message}`}>
          <span className={`badge ${tones[state]}`}>{state}</span>
          <span className="strong">{check}</span>
          <span className="row-text">{message}</span>
        </li>
      ))}
    </ul>
  );
}
