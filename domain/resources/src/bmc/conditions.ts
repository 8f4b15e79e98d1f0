import { Type } from '../schema.ts';
import { dateTime, described, optional } from '../schema-builders.ts';

/**
 * Returns the common part of the status of a Job and of a Task. `types` lists the conditions that the BMC
 * controller sets.
 */
export function progressFields(kind: 'Job' | 'Task', types: string) {
  return {
    completionTime: optional(
      `When the ${kind} completed successfully. Absent while it runs and after a failure.`,
      dateTime(),
    ),
    conditions: optional(
      `Progress of the ${kind}, one entry for each type.`,
      Type.Array(
        Type.Object({
          message: optional('Human-readable details, such as the error of the BMC.', Type.String()),
          status: described('Whether the condition holds: `True` or `False`.', Type.String()),
          type: described(`Name of the condition: ${types}.`, Type.String()),
        }),
      ),
    ),
    startTime: optional(`When the BMC controller started the ${kind}.`, dateTime()),
  };
}
