/** Why the machine does not boot, as the doctor of the server has found. */
import { useEffect, useState } from 'react';
import type { ShownVerdict } from '@tinkerbell/diagnosis/boots';
import type { Hardware } from '@tinkerbell/resources';
import { hardware, pathOf } from '../api/kinds.ts';
import { send } from '../api/request.ts';
import { Time } from '../parts/time.tsx';
import { bootCondition } from './boot-condition.ts';

interface DiagnosisCardProps {
  readonly machine: Hardware;
  /** How often active checks have ended. They may have found something. */
  readonly checks: number;
}

/** Absent while the machine boots, and without a doctor. */
export function DiagnosisCard({ machine, checks }: DiagnosisCardProps) {
  const verdict = useVerdict(machine, checks);
  if (verdict?.state !== 'stopped') return null;
  const { cause, certainty, text, evidence, advice, since } = verdict;
  return (
    <section className="verdict stopped" aria-label="Diagnosis">
      <p className="verdict-text">
        <span className="badge bad">{cause}</span> {text}
      </p>
      <p className="verdict-next">
        Stopped <Time at={since} />.{certainty !== undefined && ` The cause is ${certainty}.`}
      </p>
      {evidence.length > 0 && (
        <ul className="verdict-evidence" aria-label="Evidence">
          {evidence.map((one) => (
            <li key={`${one.time} ${one.text}`}>
              <Time at={one.time} />: {one.text}
            </li>
          ))}
        </ul>
      )}
      {advice.length > 0 && (
        <ol className="verdict-advice" aria-label="What to do">
          {advice.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Asks again when the doctor has reported something else, and after checks. */
function useVerdict(machine: Hardware, checks: number): ShownVerdict | undefined {
  const { namespace, name } = machine.metadata;
  const { status, reason } = bootCondition(machine) ?? {};
  const [verdict, setVerdict] = useState<ShownVerdict>();
  useEffect(() => {
    const leaving = new AbortController();
    send(`${pathOf(hardware, namespace, name)}/diagnosis`, { signal: leaving.signal })
      .then((response) => response.json())
      .then((found: ShownVerdict) => setVerdict(found))
      .catch(() => setVerdict(undefined));
    return () => leaving.abort();
  }, [namespace, name, status, reason, checks]);
  return verdict;
}
