/** The values that the edge stack puts into a Workflow's hardwareMap, including long texts. */

/** Long values are quoted as by Go's strconv.Quote, which YAML's double quotes can read. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/\\u00([0-9a-f]{2})/g, String.raw`\x$1`);
}

/** A text of at least `bytes` bytes, full of characters that are special in YAML, templates and shells. */
export function trickyText(bytes: number): string {
  const line = `  - path: "/etc/x"\t# {{ .not }} a template: 'äöü €😀' \\n $HOME %s\u001f\r\n`;
  return `#cloud-config\n${line.repeat(Math.ceil(bytes / Buffer.byteLength(line)))}end`;
}

export const cloudInit = trickyText(40 * 1024);
export const customConfigs = ['users: []\n', `# ${'x'.repeat(10_000)}\n`].join('\u001f');
export const installer = `#!/bin/sh\nset -e\n${'echo "$(date): step" >> /var/log/installer\n'.repeat(700)}`;

const registry = 'localhost:7443/edge';

export function edgeHardwareMap(mac: string): Record<string, string> {
  return {
    device_1: mac,
    DeviceInfoHwMacID: mac,
    DeviceInfoSecurityFeature: 'SECURE_BOOT_AND_FULL_DISK_ENCRYPTION',
    DeviceInfoOSImageURL: 'https://files.example.org/ubuntu-22.04.raw.gz',
    DeviceInfoOsImageSHA256: 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2',
    DeviceInfoOSTLSCACert: '',
    DeviceInfoUserLVMSize: '60',
    ImageSecureBootFlag: `${registry}/securebootflag:v1.0.0`,
    ImageEraseDisks: `${registry}/erase_non_removable_disks:v1.0.0`,
    ImageQemuImage2Disk: `${registry}/qemu_nbd_image2disk:v1.0.0`,
    ImageImage2Disk: `${registry}/image2disk:v1.0.0`,
    ImageWriteFile: `${registry}/writefile:v1.0.0`,
    ImageCexec: `${registry}/cexec:v1.0.0`,
    ImageEncrypt: `${registry}/fde_dmv:v1.0.0`,
    ProxyHTTP: 'http://proxy.example.org:3128',
    ProxyNo: 'localhost,127.0.0.1,.example.org',
    CloudInitData: quoted(cloudInit),
    CustomConfigs: quoted(customConfigs),
    InstallerScript: quoted(installer),
  };
}
