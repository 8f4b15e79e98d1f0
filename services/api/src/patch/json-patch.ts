/**
 * JSON patch (RFC 6902) without changing the input: lists and objects on the path of a change are copied once. The result's size is
 * counted during the patch, so that a patch that copies itself is rejected before it fills the memory.
 */
import { beyond, isDeepEqual, isRecord, sizeOf, type Size } from '@tinkerbell/resources';
import { ApiError } from '../api-error.ts';
import { parsePointer } from './json-pointer.ts';
import { setField } from './set-field.ts';

/** Limit of operations in one JSON patch, as in Kubernetes. */
const OPERATIONS_MAX = 10_000;
/** Limit of values and fields that all operations together may copy, compare or count: half a second. */
const WORK_MAX = 3_000_000;
/** Work between two turns of the event loop, and operations between two turns while parsing. */
const WORK_EACH = 500;
const OPERATIONS_EACH = 100;

export interface PatchOperation {
  readonly op: (typeof names)[number];
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
}

/** Returns the patched value. Yields often. Throws an ApiError. */
export function* jsonPatched(target: unknown, patch: unknown, limits: Size): Generator<undefined, unknown> {
  const operations = yield* operationsOf(patch);
  const document = new PatchedDocument(target, limits);
  for (const [index, operation] of operations.entries()) {
    try {
      yield* document.apply(operation);
    } catch (thrown) {
      if (!(thrown instanceof PatchFault)) throw thrown;
      throw new ApiError(
        thrown.isTooLarge ? 'RequestEntityTooLarge' : 'Invalid',
        `the server rejected our request due to an error in our request: operation ${index} (${operation.op}): ${thrown.message}`,
      );
    }
    if (document.isPause()) yield undefined;
  }
  return document.value;
}

const names = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

function* operationsOf(patch: unknown): Generator<undefined, readonly PatchOperation[]> {
  if (!Array.isArray(patch))
    throw new ApiError('BadRequest', 'a JSON patch must be a list of operations, each with op and path');
  if (patch.length > OPERATIONS_MAX)
    throw new ApiError('RequestEntityTooLarge', `a JSON patch may have at most ${OPERATIONS_MAX} operations`);
  const operations: PatchOperation[] = [];
  for (const [index, operation] of patch.entries()) {
    operations.push(operationOf(operation, index));
    if (index % OPERATIONS_EACH === 0) yield undefined;
  }
  return operations;
}

function operationOf(given: unknown, index: number): PatchOperation {
  const { op: asked, path, from, value } = isRecord(given) ? given : {};
  const op = names.find((one) => one === asked);
  const wrong = (what: string): ApiError =>
    new ApiError('BadRequest', `operation ${index} of the JSON patch: ${what}`);
  if (op === undefined) throw wrong(`op must be one of ${names.join(', ')}`);
  const needsFrom = op === 'move' || op === 'copy';
  const [to, source] = [parsePointer(path), needsFrom ? parsePointer(from) : []];
  if (to === undefined) throw wrong('path must be a JSON pointer: empty, or names that each follow a "/"');
  if (source === undefined)
    throw wrong('from must be a JSON pointer: empty, or names that each follow a "/"');
  const needsValue = op === 'add' || op === 'replace' || op === 'test';
  if (needsValue && value === undefined) throw wrong('value is required');
  return { op, path: to, from: source, value };
}

class PatchFault extends Error {
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge = false) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

type Container = unknown[] | Record<string, unknown>;

class PatchedDocument {
  value: unknown;
  readonly #limits: Size;
  /** Lists and objects that this patch has created and that nothing else references. */
  #own = new Set<unknown>();
  #size: Size;
  #work = 0;
  #pauseAt = WORK_EACH;

  constructor(value: unknown, limits: Size) {
    this.value = value;
    this.#limits = limits;
    this.#size = this.#sizeOf(value);
  }

  isPause(): boolean {
    if (this.#work < this.#pauseAt) return false;
    this.#pauseAt = this.#work + WORK_EACH;
    return true;
  }

  /** Yields while it copies a list or an object with many values. */
  *apply({ op, path, from, value }: PatchOperation): Generator<undefined, void> {
    switch (op) {
      case 'add':
        return yield* this.#add(path, value);
      case 'remove':
        return void (yield* this.#remove(path));
      case 'replace':
        yield* this.#remove(path);
        return yield* this.#add(path, value, true);
      case 'copy':
        return yield* this.#add(path, this.#shared(from));
      case 'move':
        if (from.length < path.length && from.every((step, at) => step === path[at]))
          throw new PatchFault('a value cannot be moved into itself');
        return yield* this.#add(path, yield* this.#remove(from));
      case 'test':
        return this.#test(path, value);
    }
  }

  #test(path: readonly string[], expected: unknown): void {
    this.#take(this.#sizeOf(expected).nodes);
    if (!isDeepEqual(this.#at(path), expected)) throw new PatchFault(`the value at ${shown(path)} differs`);
  }

  /** Returns the value at a path, which now occurs in two places. Nothing in it may be changed in place. */
  #shared(path: readonly string[]): unknown {
    const value = this.#at(path);
    this.#disown(value);
    return value;
  }

  /** What contains a list or an object of this patch is one too, because it was copied on the way to it. */
  #disown(value: unknown): void {
    if (!this.#own.delete(value) || typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) {
      this.#take(1);
      this.#disown(inner);
    }
  }

  *#add(path: readonly string[], value: unknown, isReplacing = false): Generator<undefined, void> {
    this.#grow(value, 1);
    const last = path.at(-1);
    if (last === undefined) {
      this.value = value;
      return;
    }
    const container = yield* this.#writable(path.slice(0, -1));
    if (!Array.isArray(container)) {
      setField(container, last, value);
      return;
    }
    const index =
      last === '-' && !isReplacing ? container.length : indexIn(container, last, container.length);
    this.#take((container.length - index) / 10);
    container.splice(index, 0, value);
  }

  /** Returns the previous value. */
  *#remove(path: readonly string[]): Generator<undefined, unknown> {
    const value = this.#at(path);
    this.#grow(value, -1);
    const last = path.at(-1);
    if (last === undefined) {
      this.value = undefined;
      return value;
    }
    const container = yield* this.#writable(path.slice(0, -1));
    if (Array.isArray(container)) {
      const index = indexIn(container, last, container.length - 1);
      this.#take((container.length - index) / 10);
      container.splice(index, 1);
    } else delete container[last];
    return value;
  }

  #at(path: readonly string[]): unknown {
    let value = this.value;
    for (const step of path) value = this.#inside(value, step, path);
    return value;
  }

  #inside(container: unknown, step: string, path: readonly string[]): unknown {
    this.#take(1);
    if (Array.isArray(container)) return container[indexIn(container, step, container.length - 1)];
    if (isRecord(container) && Object.hasOwn(container, step)) return container[step];
    throw new PatchFault(`no value at ${shown(path)}`);
  }

  /** Returns the list or object at a path, which may be changed in place. */
  *#writable(path: readonly string[]): Generator<undefined, Container> {
    let container = (this.value = yield* this.#owned(this.value, path));
    for (const step of path) {
      const inner = yield* this.#owned(this.#inside(container, step, path), path);
      if (Array.isArray(container)) container[Number(step)] = inner;
      else setField(container, step, inner);
      container = inner;
    }
    return container;
  }

  *#owned(value: unknown, path: readonly string[]): Generator<undefined, Container> {
    if (!Array.isArray(value) && !isRecord(value))
      throw new PatchFault(`the value at ${shown(path)} is neither a list nor an object`);
    if (this.#own.has(value)) return value;
    const copy: Container = Array.isArray(value) ? [...(value as unknown[])] : yield* this.#copied(value);
    if (Array.isArray(copy)) this.#take(copy.length);
    this.#own.add(copy);
    return copy;
  }

  *#copied(value: Record<string, unknown>): Generator<undefined, Record<string, unknown>> {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      setField(copy, name, value[name]);
      this.#take(1);
      if (this.isPause()) yield undefined;
    }
    return copy;
  }

  #grow(value: unknown, sign: 1 | -1): void {
    const { nodes, characters, depth, keys } = this.#sizeOf(value);
    this.#size = {
      nodes: this.#size.nodes + sign * nodes,
      characters: this.#size.characters + sign * characters,
      depth,
      keys,
    };
    const fault = sign === 1 ? beyond(this.#size, this.#limits) : undefined;
    if (fault !== undefined) throw new PatchFault(`the object would have ${fault}`, true);
  }

  #sizeOf(value: unknown): Size {
    const size = sizeOf(value, this.#limits);
    this.#take(size.nodes);
    return size;
  }

  #take(work: number): void {
    this.#work += work;
    if (this.#work > WORK_MAX)
      throw new PatchFault('the patch takes too long; split it, or replace larger parts', true);
  }
}

function indexIn(list: readonly unknown[], step: string, max: number): number {
  if (!/^(0|[1-9]\d{0,8})$/.test(step))
    throw new PatchFault(`${JSON.stringify(step.slice(0, 80))} is not an index of a list`);
  const index = Number(step);
  if (index > max) throw new PatchFault(`index ${index} is out of range; the list has ${list.length} items`);
  return index;
}

function shown(path: readonly string[]): string {
  const text = path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`);
}
