/**
 * Checks a value against the schema of its kind (the structural schemas of Kubernetes' apiextensions/v1).
 * Nothing is compiled, so a definition costs nothing until it is used. Every step is counted, so that a large
 * value is checked over many turns and an endless one is refused. The first hundred problems are kept.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Problem } from '../problem.ts';
import { ProblemList } from '../problem-list.ts';
import type { Schema } from '../schema.ts';
import { keywordFaults, type Fault, type KeywordCheck } from './keyword-problems.ts';
import { hasPassed } from './passed-values.ts';
import { pathOf, type Place } from './place.ts';
import { Steps, TooManySteps } from './steps.ts';

/** Returns the problems of the value. Yields often. */
export function* schemaProblems(schema: Schema, value: unknown): Generator<undefined, ProblemList> {
  const check = new SchemaCheck(new Steps());
  try {
    yield* check.run({ schema, value, place: undefined });
  } catch (thrown) {
    if (!(thrown instanceof TooManySteps)) throw thrown;
    const message = 'takes too long to be checked against the schema of its kind';
    check.problems.add(() => ({ reason: 'invalid', path: [], message }));
  }
  return check.problems;
}

interface Work {
  readonly schema: Schema;
  readonly value: unknown;
  readonly place: Place | undefined;
}

class SchemaCheck {
  readonly problems = new ProblemList();
  readonly #steps: Steps;
  /** The next one is the last. */
  readonly #waiting: Work[] = [];
  readonly #keywordCheck: KeywordCheck;
  /** The value whose keywords are being checked. */
  #current: Omit<Work, 'schema'> = { value: undefined, place: undefined };

  constructor(steps: Steps) {
    this.#steps = steps;
    // One for all values, because there are many.
    this.#keywordCheck = {
      steps,
      found: (fault) => this.#add(fault, this.#current.value, this.#current.place),
    };
  }

  *run(first: Work): Generator<undefined, void> {
    this.#waiting.push(first);
    for (let work = this.#waiting.pop(); work !== undefined; work = this.#waiting.pop()) {
      this.#steps.take(1);
      if (this.#steps.isPause()) yield undefined;
      if (hasPassed(work.schema, work.value)) continue;
      this.#keywords(work);
      this.#inner(work);
      if (isCombined(work.schema)) yield* this.#combined(work);
    }
  }

  #keywords(work: Work): void {
    const { schema, value, place } = work;
    this.#current = work;
    keywordFaults(schema, value, this.#keywordCheck);
    if (isRecord(value)) this.#required(schema, value, place);
  }

  #add({ reason, message }: Fault, value: unknown, place: Place | undefined): void {
    this.problems.add((): Problem => {
      const path = pathOf(place);
      return { reason, path, value, message };
    });
  }

  #required({ required, type }: Schema, value: Record<string, unknown>, place: Place | undefined): void {
    if (required === undefined || (type !== undefined && type !== 'object')) return;
    this.#steps.take(required.length);
    for (const step of required)
      if (!Object.hasOwn(value, step) || value[step] === undefined)
        this.problems.add(() => ({
          reason: 'required',
          path: pathOf({ within: place, step }),
          message: 'is required',
        }));
  }

  /** Items and fields that are still to be checked, in their order. */
  #inner({ schema, value, place }: Work): void {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined) return;
      for (let step = value.length - 1; step >= 0; step--)
        this.#waiting.push({ schema: items, value: value[step], place: { within: place, step } });
    } else if (isRecord(value)) {
      const names = Object.keys(value);
      for (let at = names.length - 1; at >= 0; at--) {
        const step = names[at] ?? '';
        const field = fieldSchema(schema, step);
        // What has passed would be left out in its turn.
        if (field !== undefined && !hasPassed(field, value[step]))
          this.#waiting.push({ schema: field, value: value[step], place: { within: place, step } });
      }
    }
  }

  *#combined({ schema, value, place }: Work): Generator<undefined, void> {
    for (const one of schemasIn(schema, 'allOf').toReversed())
      this.#waiting.push({ schema: one, value, place });
    const [any, exact] = [schemasIn(schema, 'anyOf'), schemasIn(schema, 'oneOf')];
    const not = isRecord(schema['not']) ? [schema['not']] : [];
    if (any.length > 0 && (yield* this.#fitting(any, value, 1)) === 0)
      this.#add({ reason: 'invalid', message: 'must match a schema in anyOf' }, value, place);
    if (exact.length > 0 && (yield* this.#fitting(exact, value, 2)) !== 1)
      this.#add({ reason: 'invalid', message: 'must match exactly one schema in oneOf' }, value, place);
    if (not.length > 0 && (yield* this.#fitting(not, value, 1)) > 0)
      this.#add({ reason: 'invalid', message: 'must NOT be valid' }, value, place);
  }

  /** Counts how many of the schemas the value fits, up to `enough`. */
  *#fitting(schemas: readonly Schema[], value: unknown, enough: number): Generator<undefined, number> {
    let count = 0;
    for (const schema of schemas) {
      const check = new SchemaCheck(this.#steps);
      yield* check.run({ schema, value, place: undefined });
      if (check.problems.count === 0) count += 1;
      if (count === enough) break;
    }
    return count;
  }
}

function fieldSchema({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return isRecord(additionalProperties) ? additionalProperties : undefined;
}

function isCombined({ allOf, anyOf, oneOf, not }: Schema): boolean {
  return allOf !== undefined || anyOf !== undefined || oneOf !== undefined || not !== undefined;
}

function schemasIn(schema: Schema, keyword: string): readonly Schema[] {
  const schemas = schema[keyword];
  return Array.isArray(schemas) ? (schemas as readonly Schema[]) : [];
}
