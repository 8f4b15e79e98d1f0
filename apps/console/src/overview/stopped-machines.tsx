/** Machines that stand still, with what the doctor has found. */
import { Link } from '@tanstack/react-router';
import type { Hardware } from '@tinkerbell/resources';
import { bootCondition, bootHealthOf } from '../machine/boot-condition.ts';
import { Time } from '../parts/time.tsx';

const SHOWN_MAX = 8;

export function isStopped(machine: Hardware): boolean {
  return bootHealthOf(machine) === 'stopped';
}

export function StoppedMachines({ machines }: { readonly machines: readonly Hardware[] }) {
  return (
    <ul className="rows">
      {machines.slice(0, SHOWN_MAX).map((machine) => {
        const { namespace, name, uid } = machine.metadata;
        const { reason, message, lastTransitionTime } = bootCondition(machine) ?? {};
        return (
          <li key={uid}>
            <Link to="/machines/$namespace/$name" params={{ namespace, name }} className="strong">
              {name}
            </Link>
            <span className="badge bad">{reason}</span>
            <span className="row-text" title={message}>
              {message}
            </span>
            <Time at={lastTransitionTime} />
          </li>
        );
      })}
    </ul>
  );
}
