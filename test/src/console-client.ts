/** Clients of the serial consoles that a server offers over SSH. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiObject } from '@tinkerbell/sandbox';
import { serverAddress } from './bare-machine.ts';

const SSH_PORT = 2222;
const SSH_OPTIONS = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];

/** Flags of the server. */
export const CONSOLE_FLAGS: readonly string[] = ['--enable-secondstar', `--secondstar-port=${SSH_PORT}`];

/** Makes the key of an operator. */
export function newKey(directory: string): { readonly keyFile: string; readonly publicKey: string } {
  const keyFile = join(directory, 'operator');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile]);
  return { keyFile, publicKey: readFileSync(`${keyFile}.pub`, 'utf8') };
}

/** The Hardware, whose console the key opens. */
export function withKey(hardware: ApiObject, key: string): ApiObject {
  const spec = hardware['spec'] as { readonly metadata?: { readonly instance?: object } };
  const instance = { ...spec.metadata?.instance, ssh_keys: [key.trim()] };
  return { ...hardware, spec: { ...spec, metadata: { ...spec.metadata, instance } } };
}

/** The words of OpenSSH's client. */
export function sshWords(name: string, keyFile: string): readonly string[] {
  const flags = [
    '-tt',
    '-e',
    'none',
    '-F',
    'none',
    '-p',
    String(SSH_PORT),
    '-i',
    keyFile,
    '-o',
    'IdentitiesOnly=yes',
  ];
  return [...flags, ...SSH_OPTIONS.flatMap((one) => ['-o', one]), `${name}@${serverAddress}`];
}

/** The words of `node` for `tink console`. */
export function tinkConsoleWords(name: string, keyFile: string): readonly string[] {
  const main = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
  return [main, 'console', name, '-i', keyFile, '--port', String(SSH_PORT), '--ssh-option', ...SSH_OPTIONS];
}

/** A client as an operator uses it. It may have to wait for the objects to arrive. */
export function watchConsole(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const child = spawn(program, words, { stdio: 'pipe', env: { ...process.env, ...environment } });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => void (text = (text + part.toString('latin1')).slice(-200_000)));
  const ended = new Promise<never>((_, reject) =>
    child.on('close', (code) => reject(new Error(`${program} has ended with ${code}: ${text.slice(-500)}`))),
  );
  ended.catch(() => undefined);
  const found = async (expected: RegExp): Promise<void> => {
    while (!expected.test(text)) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  return { child, text: () => text, until: (expected: RegExp) => Promise.race([found(expected), ended]) };
}

/** A web page, with the WebSocket of Node. `authorization` is `Bearer` and a token. */
export function watchPage(server: string, name: string, authorization: string) {
  const token = Buffer.from(authorization.replace(/^Bearer /, '')).toString('base64url');
  const url = `${server.replace(/^http/, 'ws')}/consoles/default/${name}`;
  const protocols = ['tinkerbell.console.v1', `base64url.bearer.authorization.k8s.io.${token}`];
  const socket = new WebSocket(url, protocols);
  let text = '';
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    text += Buffer.from(data as ArrayBuffer).toString('latin1');
  });
  const opened = new Promise<void>((resolve) => socket.addEventListener('open', () => resolve()));
  const ended = new Promise<never>((_, reject) =>
    socket.addEventListener('close', ({ reason }) =>
      reject(new Error(`the page was disconnected: ${reason}`)),
    ),
  );
  ended.catch(() => undefined);
  const found = async (expected: RegExp): Promise<void> => {
    while (!expected.test(text)) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  return {
    opened: Promise.race([opened, ended]),
    until: (expected: RegExp) => Promise.race([found(expected), ended]),
    close: () => socket.close(),
  };
}
