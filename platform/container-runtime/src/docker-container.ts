/** Runs an image through Docker, as upstream's agent does. */
import { createInterface } from 'node:readline';
import { formatReference, parseReference } from '@tinkerbell/oci';
import { delay, PlatformError } from '@tinkerbell/platform-contract';
import { STOP_GRACE_MS, type ContainerMachine, type ContainerOrder } from './container-order.ts';
import { DockerApi, fieldOf, objectIn } from './docker-api.ts';
import { readDockerOutput } from './docker-output.ts';

export interface DockerMachine extends ContainerMachine {
  readonly socket: string;
}

/** Upstream's attempts to pull. */
const PULL_ATTEMPTS = 5;
const BACKOFF_FIRST_MS = 500;
const ID_BYTES = 6;

/** Resolves with the exit code. Rejects with a PlatformError when the image cannot be pulled or run. */
export async function runWithDocker(order: ContainerOrder, machine: DockerMachine): Promise<number> {
  const docker = new DockerApi(machine.socket);
  await pull(docker, order, machine);
  const name = `tinkerbell_${Buffer.from(machine.random.bytes(ID_BYTES)).toString('hex')}`;
  const path = `/containers/${name}`;
  machine.signal.throwIfAborted();
  await docker.call({ method: 'POST', path: `/containers/create?name=${name}`, body: createBody(order) });
  const stop = (): void => {
    const seconds = STOP_GRACE_MS / 1000;
    docker.call({ method: 'POST', path: `${path}/stop?t=${seconds}` }).catch((error: unknown) => {
      machine.log.warn('Docker does not stop the container', { reason: String(error) });
    });
  };
  machine.signal.addEventListener('abort', stop, { once: true });
  try {
    await docker.call({ method: 'POST', path: `${path}/start` });
    machine.onProgress('running');
    if (machine.signal.aborted) stop();
    const output = await docker.open({ method: 'GET', path: `${path}/logs?follow=1&stdout=1&stderr=1` });
    await readDockerOutput(output as AsyncIterable<Buffer>, machine.onLine);
    const ended = fieldOf(await docker.call({ method: 'POST', path: `${path}/wait` }), 'StatusCode');
    if (typeof ended === 'number') return ended;
    throw new PlatformError('unavailable', 'Docker did not report the exit code of the container');
  } finally {
    machine.signal.removeEventListener('abort', stop);
    await docker.call({ method: 'DELETE', path: `${path}?force=1&v=1` });
  }
}

function createBody(order: ContainerOrder): object {
  const { image, command, environment, volumes, pidNamespace, networkNamespace } = order;
  return {
    Image: formatReference(parseReference(image)),
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ...(command.length > 0 ? { Cmd: command } : {}),
    HostConfig: {
      Privileged: true,
      Binds: volumes,
      ...(pidNamespace === '' ? {} : { PidMode: pidNamespace }),
      ...(networkNamespace === '' ? {} : { NetworkMode: networkNamespace }),
    },
  };
}

/** A failed pull does not matter if Docker has the image. */
async function pull(docker: DockerApi, order: ContainerOrder, machine: DockerMachine): Promise<void> {
  const { signal, clock, random } = machine;
  machine.onProgress(`pulling ${order.image}`);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await pullOnce(docker, order, machine);
      return;
    } catch (error) {
      if (!(error instanceof PlatformError) || signal.aborted) throw error;
      if (attempt >= PULL_ATTEMPTS || error.code === 'not-found') {
        if (await isLocal(docker, order)) return;
        throw error;
      }
      await delay(clock, BACKOFF_FIRST_MS * 2 ** attempt * (0.5 + random.fraction() / 2), signal);
    }
  }
}

async function pullOnce(docker: DockerApi, { image }: ContainerOrder, machine: DockerMachine): Promise<void> {
  const reference = parseReference(image);
  const { registry, repository, tag = '', digest } = reference;
  const query = `fromImage=${encodeURIComponent(`${registry}/${repository}`)}&tag=${encodeURIComponent(digest ?? tag)}`;
  const own = machine.registries.credentials.find((one) => one.registry === registry);
  const login =
    own === undefined ? {} : { username: own.username, password: own.password, serveraddress: registry };
  const answer = await docker.open({
    method: 'POST',
    path: `/images/create?${query}`,
    headers: { 'x-registry-auth': Buffer.from(JSON.stringify(login)).toString('base64url') },
    signal: machine.signal,
  });
  // One object a line. The status is 200 also when the pull fails later.
  for await (const line of createInterface({ input: answer })) {
    const problem = fieldOf(objectIn(line), 'error');
    if (typeof problem !== 'string') continue;
    const code = /manifest unknown|not found|denied/.test(problem) ? 'not-found' : 'unavailable';
    throw new PlatformError(code, `Docker cannot pull ${image}: ${problem.slice(0, 500)}`);
  }
}

async function isLocal(docker: DockerApi, { image }: ContainerOrder): Promise<boolean> {
  try {
    await docker.call({ method: 'GET', path: `/images/${formatReference(parseReference(image))}/json` });
    return true;
  } catch {
    return false;
  }
}
