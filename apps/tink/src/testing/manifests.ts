/** Small manifests that belong together, for tests. */
export function hardware(name: string, mac: string, spec = ''): string {
  return `apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata:
  name: ${name}
spec:
  disks:
    - device: /dev/sda
  interfaces:
    - dhcp:
        mac: ${mac}
        ip: {address: ${addressOf(mac)}, netmask: 255.255.255.0}
      netboot: {allowPXE: true, allowWorkflow: true}
${spec}`;
}

/** Returns a distinct address per machine: 192.168.56.43 for the MAC that ends in 01. */
function addressOf(mac: string): string {
  return `192.168.56.${(42 + Number.parseInt(mac.slice(-2), 16)) % 256}`;
}

export const templateText = `version: "0.1"
name: debian
global_timeout: 1800
tasks:
  - name: "install"
    worker: "{{ .device_1 }}"
    actions:
      - name: "stream image"
        image: image2disk:v1
        timeout: 600
        environment:
          DEST_DISK: {{ index .Hardware.Disks 0 }}
`;

export function template(name: string, text = templateText): string {
  const indented = text.replace(/^(?=.)/gm, '    ');
  return `apiVersion: tinkerbell.org/v1alpha1
kind: Template
metadata:
  name: ${name}
spec:
  data: |
${indented}`;
}

export function workflow(name: string, templateRef: string, hardwareRef: string): string {
  return `apiVersion: tinkerbell.org/v1alpha1
kind: Workflow
metadata:
  name: ${name}
spec:
  templateRef: ${templateRef}
  hardwareRef: ${hardwareRef}
  hardwareMap: {device_1: "08:00:27:00:00:01"}
`;
}
