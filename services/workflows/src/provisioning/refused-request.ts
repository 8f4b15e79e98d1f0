import { inTurns } from '@tinkerbell/platform-contract';
import {
  parseRequest,
  type Failure,
  type Method,
  type Requests,
  type Result,
} from '@tinkerbell/provisioning';
import { RpcError } from '../grpc/rpc-error.ts';

/** A refusal that names the invalid field of the request. */
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

/** `value` is JSON of unknown shape. Rejects with a RefusedRequest that names the invalid field. */
export async function checkedRequest<Of extends Method>(method: Of, value: unknown): Promise<Requests[Of]> {
  return valueOf(await inTurns(parseRequest(method, value)));
}
