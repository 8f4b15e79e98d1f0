/** The Redfish driver with a simulated service in the same process, so that simulated time is enough. */
import { createRedfishDriver, type BmcDriver } from '@tinkerbell/engine-bmc';
import type { Clock, EndpointHttp } from '@tinkerbell/platform-contract';
import { PlainRedfishMachine, RedfishService, type RedfishLies } from '@tinkerbell/sandbox/bmc';

export function redfishInMemory(lies: RedfishLies) {
  const machine = new PlainRedfishMachine();
  const service = new RedfishService({ machine, username: 'admin', password: 'secret' });
  Object.assign(service.lies, lies);
  const driver = (clock: Clock): BmcDriver => createRedfishDriver({ clock, openHttp: () => httpTo(service) });
  return { machine, service, driver };
}

function httpTo(service: RedfishService): EndpointHttp {
  return {
    async request(url, { method, headers = {}, body = '' }) {
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
      const target = `${url.pathname}${url.search}`;
      const answer = await service.respond({ method, target, body, headers: Object.fromEntries(lower) });
      const text = answer.text ?? (answer.fields === undefined ? '' : JSON.stringify(answer.fields));
      return { status: answer.status, headers: new Headers(answer.headers), body: text };
    },
    certificateSha256: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
