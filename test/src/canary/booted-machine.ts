/** A machine that boots, and its tokens in wrong hands. The server's output must not show them. */
import assert from 'node:assert/strict';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { WorkflowService } from '@tinkerbell/api/agent';
import { AgentService } from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';

const HEADER = 'x-tinkerbell-session';
const OURS = serviceDefinition(AgentService);
const CURRENT = serviceDefinition(WorkflowService);

export interface BootedMachine {
  readonly bootToken: string;
  readonly session: string;
  /** The answers to refused calls. */
  readonly answers: string;
}

/**
 * Gets its token from its script and its session for that token. Then others present both, once more, and
 * broken.
 */
export async function bootedMachine(url: string, grpcPort: number, mac: string): Promise<BootedMachine> {
  const script = await (await fetch(`${url}/ipxe/script/${mac}/auto.ipxe`)).text();
  const bootToken = /tinkerbell_boot_token=([\w-]+)/.exec(script)?.[1];
  assert.ok(bootToken !== undefined, script);
  const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure());
  const call = (method: typeof OURS.exchange | typeof CURRENT.getAction, request: object, session?: string) =>
    new Promise<{ readonly value?: object; readonly refusal: string }>((resolve) => {
      const metadata = new Metadata();
      if (session !== undefined) metadata.set(HEADER, session);
      client.makeUnaryRequest(
        method.path,
        (value: object) => method.requestSerialize(value as never),
        (bytes: Buffer): object => method.responseDeserialize(bytes),
        request,
        metadata,
        { deadline: Date.now() + 10_000 },
        (error: ServiceError | null, value?: object) =>
          resolve({ ...(value === undefined ? {} : { value }), refusal: error?.message ?? '' }),
      );
    });
  const given = await call(OURS.exchange, { agentId: mac, bootToken });
  const { session } = (given.value ?? {}) as { readonly session?: string };
  assert.ok(session !== undefined, given.refusal);
  const refused = [
    await call(OURS.exchange, { agentId: mac, bootToken }),
    await call(OURS.exchange, { agentId: mac, bootToken: `${bootToken}x` }),
    await call(CURRENT.getAction, { agentId: '52:54:00:00:00:99' }, session),
    await call(CURRENT.getAction, { agentId: mac }, `${session}x`),
  ];
  client.close();
  for (const { refusal } of refused) assert.notEqual(refusal, '');
  const metadata = await fetch(`${url}/latest/user-data`, { headers: { [HEADER]: session } });
  const answers = [...refused.map(({ refusal }) => refusal), await metadata.text()].join('\n');
  return { bootToken, session, answers };
}
