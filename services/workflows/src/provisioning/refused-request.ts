import type { Failure, Result } from '@tinkerbell/provisioning';
import { RpcError } from '../grpc/rpc-error.ts';

/** A refusal that knows which field of the request is to blame. */
export class RefusedRequest extends RpcError {
  readonly field: string | undefined;

  constructor({ code, message, field }: Failure) {
    super(code, message);
    this.name = 'RefusedRequest';
    this.field = field;
  }
}

/** Throws a RefusedRequest. */
export function valueOf<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new RefusedRequest(result.failure);
  return result.value;
}
