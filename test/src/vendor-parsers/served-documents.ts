/** What the server serves to the machines of examples/, with the placeholders replaced as a user does. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exampleHardware, exampleMac } from '../actions/example-objects.ts';
import { startServer, type ServerChild } from '../start-server.ts';

const FIRMWARE = 'uefi';
const HARDWARE = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware';

const REPLACED: Readonly<Record<string, string>> = {
  'REPLACE-WITH-YOUR-PUBLIC-KEY': 'AAAAC3NzaC1lZDI1NTE5AAAAIJ7Cp7gz3Aq2WPyYhN0rS5jGLY1q0s8TD9CYGGXW0d5x',
  'REPLACE-WITH-A-PASSWORD-HASH': '$6$saltsalt$0123456789abcdef',
  'REPLACE-WITH-THE-TOKEN-OF-THE-CLUSTER': 'abcdef.0123456789abcdef',
};

export interface ServedDocuments extends AsyncDisposable {
  /** The document of the machine of an example, such as `talos/config`. */
  read(folder: string, document: string): Promise<string>;
}

export async function serveExamples(folders: readonly string[]): Promise<ServedDocuments> {
  await using cleanup = new AsyncDisposableStack();
  const server = cleanup.use(await startServer());
  const values = { ...REPLACED, 'REPLACE-WITH-THE-CA-OF-THE-CLUSTER': certificateAuthority() };
  const userData = (text: string): string =>
    Object.entries(values).reduce((left, [token, value]) => left.replaceAll(token, value), text);
  const headers = { 'content-type': 'application/json' };
  for (const folder of folders) {
    const body = JSON.stringify(exampleHardware(folder, { firmware: FIRMWARE, userData }));
    const answer = await server.request(`${server.url}${HARDWARE}`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${folder}: ${await answer.text()}`);
  }
  const running = cleanup.move();
  return {
    read: (folder, document) => read(server, exampleMac(folder), document),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** This host may read the document of any machine. */
async function read({ url }: ServerChild, mac: string, document: string): Promise<string> {
  const [system = '', name = ''] = document.split('/');
  const answer = await fetch(`${url}/${system}/${mac}/${name}`);
  if (!answer.ok) throw new Error(`${document} of ${mac}: ${answer.status}`);
  return answer.text();
}

/** A certificate in the form that talosctl writes: PEM in base64. */
function certificateAuthority(): string {
  const directory = mkdtempSync(join(tmpdir(), 'talos-ca-'));
  const path = join(directory, 'ca.pem');
  const key = ['-newkey', 'ed25519', '-nodes', '-keyout', join(directory, 'key.pem')];
  execFileSync('openssl', ['req', '-x509', ...key, '-subj', '/O=talos', '-days', '30', '-out', path], {
    stdio: 'pipe',
  });
  const text = readFileSync(path).toString('base64');
  rmSync(directory, { recursive: true });
  return text;
}
