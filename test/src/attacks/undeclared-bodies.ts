/** Sends bodies whose length no header declares, so that the server learns while it reads that they are too long. */
import type { SeededChoice } from '../seeded-choice.ts';
import { type Attack, type Role } from './attack.ts';
import { answered, REFUSED } from './hostile-answer.ts';

const PIECE_BYTES_MAX = 128 * 1024;
const PIECES_MAX = 40;

const roles: readonly Role[] = ['nobody', 'agent', 'viewer', 'editor', 'admin'];

/** Everything that reads a body, among it what needs no credential. */
const places: readonly string[] = [
  '/phone-home',
  '/console/session',
  '/v1/registry/peers',
  '/v1/auth/token',
  '/v1/devices/none/provision',
  '/v2/lab/one/blobs/uploads/',
  '/bmc/events/lab/one',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  '/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware?dryRun=All',
  '/apis/tinkerbell.org/v1alpha1/namespaces/lab/workflows/none/edit',
  '/no/such/place',
];

const contents = ['x', ' ', '"', '[', '{"a":', '1,', 'a: &a [*a]\n', '\u0000', '\u00e9'];
const types = ['application/json', 'application/yaml', 'application/octet-stream', 'text/plain'];

function piecesOf(content: string, size: number, count: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const piece = Buffer.from(content.repeat(Math.ceil(size / content.length)));
  let left = count;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      left -= 1;
      controller.enqueue(new Uint8Array(piece));
    },
  });
}

export const undeclaredBodies: Attack = {
  name: 'undeclared-bodies',
  sends: 'body',
  async once(target, choice: SeededChoice) {
    const [path, method] = [choice.of(places), choice.of(['POST', 'PUT', 'PATCH', 'DELETE'])];
    const body = piecesOf(choice.of(contents), 1 + choice.below(PIECE_BYTES_MAX), choice.below(PIECES_MAX));
    const options = { method, headers: { 'content-type': choice.of(types) }, body, duplex: 'half' } as const;
    let response: Response;
    try {
      response = await target.send(choice.of(roles), path, options);
    } catch (thrown) {
      // The server has closed the connection on a large body, which is a refusal too.
      if (thrown instanceof TypeError) return;
      throw thrown;
    }
    await answered(`${method} ${path}`, response, [...REFUSED, 200, 201, 202, 204, 401, 403, 404, 405, 409]);
  },
};
