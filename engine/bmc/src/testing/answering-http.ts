/** An HTTP client whose answers a test gives, and which keeps the requests. */
import type { EndpointAnswer, EndpointHttp, EndpointRequest } from '@tinkerbell/platform-contract';

export interface SeenRequest extends EndpointRequest {
  readonly url: string;
}

export function answeringHttp(
  answer: (request: SeenRequest) => { status?: number; body?: string; location?: string },
) {
  const seen: SeenRequest[] = [];
  const http: EndpointHttp = {
    request(url, request) {
      const one = { ...request, url: url.href };
      seen.push(one);
      const { status = 200, body = '{}', location } = answer(one);
      const headers = new Headers(location === undefined ? {} : { location });
      const found: EndpointAnswer = { status, headers, body };
      return Promise.resolve(found);
    },
    certificateSha256: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { seen, openHttp: () => http };
}
