import type { HttpRequest } from '@tinkerbell/platform-contract';
import { methodProblem, type Answer } from './answer.ts';
import type { Visitor } from './visitor.ts';

/** cloud-init sends host keys and names: two kilobytes. */
const BODY_BYTES_MAX = 64 * 1024;

/**
 * cloud-init's phone_home: the machine reports that it has booted the installed system. The body is read, because clients may not
 * read an answer before they have sent it, but it is not trusted: the caller is identified by address.
 */
export async function answerPhoneHome(request: HttpRequest, { search }: Visitor): Promise<Answer> {
  const kind = 'phone-home';
  const problem = methodProblem(request, kind, ['POST']);
  if (problem !== undefined) return problem;
  if (!search.ok) return { kind, outcome: search.outcome };
  let readBytes = 0;
  for await (const chunk of request.body ?? []) {
    readBytes += chunk.length;
    if (readBytes > BODY_BYTES_MAX) return { kind, outcome: 'body-too-long' };
  }
  return { kind, outcome: 'served' };
}
