/**
 * Tests UEFI HTTPS boot of a machine that trusts our authority, through the gateway's two documented hosts.
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMachine, createObject, enterPrivateNetwork, startServer } from '@tinkerbell/sandbox';
import { createLab, HOST_INTERFACE } from './firmware/lab.ts';
import { agentReached, template, workflowFor } from './firmware/reach-agent.ts';
import { prepareBoot } from './gateway/boot-files.ts';
import { hookScript, startNameServer } from './gateway/hook-script.ts';

const DOMAIN = 'edge.example.org';
const FILES = `tinkerbell-nginx.${DOMAIN}`;
const MAC = '52:54:00:77:01:01';
const skip = process.getuid?.() === 0 ? false : 'needs root, for network namespaces';

test('firmware boots over HTTPS by the name of the file host, up to the agent', { skip }, async (context) => {
  await using cleanup = new AsyncDisposableStack();
  const { directory, ...files } = await prepareBoot(cleanup);
  const network = await enterPrivateNetwork('10.251.0.1');
  const lab = await createLab(network, { index: 1, isRelayed: false }, cleanup);
  const address = lab.serverAddress;
  await startNameServer(lab.server, { domain: DOMAIN, address }, cleanup);
  const imagesDirectory = join(directory, 'images');
  await writeFile(join(imagesDirectory, 'hook.ipxe'), `#!ipxe\nchain http://${FILES}/tink-stack/site.ipxe\n`);
  await writeFile(join(imagesDirectory, 'site.ipxe'), hookScript({ host: FILES, grpc: `${address}:42113` }));
  await writeFile(join(directory, 'jwks.json'), '{"keys":[]}');
  const server = await startServer({
    ...files,
    dataDirectory: join(directory, 'data'),
    imagesDirectory,
    networkInterface: HOST_INTERFACE,
    address,
    host: lab.server,
    flags: [
      '--api-anonymous=everyone',
      '--enable-gateway',
      `--gateway-domain=${DOMAIN}`,
      '--gateway-http-port=80',
      '--gateway-tls-min-version=1.2',
      '--gateway-jwt-issuer=https://issuer.example.org',
      `--gateway-jwt-jwks-file=${join(directory, 'jwks.json')}`,
      '--dhcp-ipxe-http-binary-scheme=https',
      `--dhcp-ipxe-http-binary-host=${FILES}`,
      '--dhcp-ipxe-http-binary-port=443',
      '--dhcp-ipxe-http-binary-path=/tink-stack/ipxe/binary/',
      `--dhcp-ipxe-http-script-host=${FILES}`,
      '--dhcp-ipxe-http-script-port=80',
      '--dhcp-ipxe-http-script-path=/tink-stack/hook.ipxe',
      '--dhcp-ipxe-http-script-prepend-mac=false',
    ],
  });
  cleanup.defer(() => server.stop());
  const hardware = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine', namespace: 'default' },
    spec: {
      interfaces: [
        {
          dhcp: {
            mac: MAC,
            arch: 'x86_64',
            lease_time: 3600,
            ip: { address: `${lab.machineNetwork}.50`, netmask: '255.255.255.0' },
            name_servers: [address],
          },
          netboot: { allowPXE: true, allowWorkflow: true },
        },
      ],
    },
  };
  for (const object of [hardware, template, workflowFor(hardware)]) await createObject(server, object);
  const authority = await readFile(join(directory, 'data/gateway/ca.pem'));
  const machine = await createMachine({
    name: 'machine',
    mac: MAC,
    firmware: 'uefi-https',
    directory,
    port: await network.addPort(lab.machineBridge),
    certificateAuthority: new X509Certificate(authority).raw,
  });
  cleanup.defer(() => machine.powerOff());
  await machine.powerOn();
  const onStandstill = (report: string): void => context.diagnostic(`was reset: ${report}`);
  await agentReached({ server, hardware, machine, onStandstill });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  // iPXE itself, hook.ipxe, the kernel and the initramfs. site.ipxe is an ordinary file of the images.
  assert.match(metrics, /gateway_requests_total\{route="tinkerbell-nginx",code="200"\} [4-9]/);
  assert.match(metrics, /gateway_requests_total\{route="tinkerbell-nginx-tree",code="200"\} [1-9]/);
});
