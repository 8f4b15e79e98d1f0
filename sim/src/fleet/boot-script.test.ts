import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootScriptIn } from './boot-script.ts';

const SCRIPT = `#!ipxe
set arch x86_64
set download-url http://192.0.2.1:7080/hook
set kernel vmlinuz-\${arch}
set initrd initramfs-\${arch}
set retries:int32 1
:retry_kernel
kernel \${download-url}/\${kernel} worker_id=02:00:00:00:00:01 \\
grpc_authority=192.0.2.1:42113 \\
tinkerbell_tls=false initrd=\${initrd} hw_addr=\${mac} \\
tinkerbell_boot_token=a=b \\
&& goto download_initrd || goto retry_kernel
:download_initrd
initrd \${download-url}/\${initrd} && goto boot
`;

test('finds kernel, initramfs and kernel arguments, with the settings of the script', () => {
  const { images, arguments: given } = bootScriptIn(SCRIPT);
  assert.deepEqual(images, [
    'http://192.0.2.1:7080/hook/vmlinuz-x86_64',
    'http://192.0.2.1:7080/hook/initramfs-x86_64',
  ]);
  assert.equal(given.get('grpc_authority'), '192.0.2.1:42113');
  assert.equal(given.get('worker_id'), '02:00:00:00:00:01');
  assert.equal(given.get('tinkerbell_boot_token'), 'a=b');
  assert.equal(given.get('hw_addr'), '${mac}');
});

test('a script without a kernel has no images, and a setting that contains itself ends', () => {
  assert.deepEqual(bootScriptIn('#!ipxe\nexit\n').images, []);
  assert.deepEqual(bootScriptIn('set a ${a}x\nkernel http://h/${a}').images.length, 1);
});
