import type { HttpRequest } from '@tinkerbell/platform-contract';
import { methodProblem, type Answer } from './answer.ts';
import type { MetadataConfig, MetadataDeps } from './config.ts';
import { createSessionTokens, LIFETIME_SECONDS_MAX, parseLifetime } from './session-tokens.ts';
import type { Visitor } from './visitor.ts';

const TOKEN_HEADER = 'x-aws-ec2-metadata-token';
const LIFETIME_HEADER = 'x-aws-ec2-metadata-token-ttl-seconds';

/** EC2's instance metadata service, version 2: a PUT returns a token, which a forged GET cannot have. */
export interface SessionGate {
  issue(request: HttpRequest, visitor: Visitor): Answer;
  /** Returns why the request is refused, or undefined when it may pass. */
  problemOf(request: HttpRequest, visitor: Visitor): Outcome | undefined;
}

type Outcome = Extract<Answer['outcome'], 'token-missing' | 'token-unknown'>;

export function createSessionGate(
  deps: Pick<MetadataDeps, 'clock' | 'random'>,
  config: Pick<MetadataConfig, 'tokens'>,
): SessionGate {
  const tokens = createSessionTokens(deps);
  return {
    issue(request, { address, origin, search }) {
      const kind = 'token';
      const problem = methodProblem(request, kind, ['PUT']);
      if (problem !== undefined) return problem;
      // As EC2: an open proxy must not fetch a token for its clients.
      if (origin === 'unproven') return { kind, outcome: 'proxy-untrusted' };
      if (!search.ok) return { kind, outcome: search.outcome };
      const lifetime = parseLifetime(request.headers.get(LIFETIME_HEADER));
      if (lifetime === undefined) {
        const text = `${LIFETIME_HEADER} must be 1 to ${LIFETIME_SECONDS_MAX}\n`;
        return { kind, outcome: 'lifetime-invalid', text };
      }
      const text = tokens.issue(address, lifetime);
      return { kind, outcome: 'served', text, headers: { [LIFETIME_HEADER]: `${lifetime}` } };
    },
    problemOf(request, { address, isLocal }) {
      const token = request.headers.get(TOKEN_HEADER);
      if (token !== null) return tokens.isValid(address, token) ? undefined : 'token-unknown';
      return config.tokens === 'required' && !isLocal ? 'token-missing' : undefined;
    },
  };
}
