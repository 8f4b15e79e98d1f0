/** What can be written at a place of a template: fields of the machine, functions, keys and images of actions. Pure. */
import type { Completion } from '../parts/completion.ts';

type Words = readonly (readonly [text: string, help: string])[];

/** `{{ … }}` may be left open while it is typed. */
const EXPRESSION = /\{\{-?[^{}]*?([.$]?[A-Za-z_][\w.]*|\.)?$/;
const KEY = /^(\s*(?:- )?)([A-Za-z_-]*)$/;
const IMAGE = /^\s*(?:- )?image:\s+(\S*)$/;

const expressions: Words = [
  ['.device_1', 'the agent of the machine: the worker of a task'],
  ['index .Hardware.Disks 0', 'the first disk, such as /dev/sda'],
  ['formatPartition ( index .Hardware.Disks 0 ) 1', 'its first partition, such as /dev/sda1'],
  ['(index .Hardware.Interfaces 0).DHCP.Hostname', 'the host name'],
  ['(index .Hardware.Interfaces 0).DHCP.MAC', 'the MAC of the first interface'],
  ['(index .Hardware.Interfaces 0).DHCP.IP.Address', 'the address of the first interface'],
  ['(index .Hardware.Interfaces 0).DHCP.IP.Netmask', 'its netmask'],
  ['(index .Hardware.Interfaces 0).DHCP.IP.Gateway', 'its gateway'],
  ['(index .Hardware.Interfaces 0).DHCP.NameServers', 'its name servers'],
  ['.Hardware.Disks', 'the disks of the machine'],
  ['.Hardware.Interfaces', 'the interfaces of the machine'],
  ['.Hardware.UserData', 'its user data'],
  ['.Hardware.VendorData', 'its vendor data'],
  ['.Hardware.Metadata', 'its metadata'],
  ['.hardware.metadata.name', 'the name of the Hardware'],
  ['.hardware.metadata.namespace', 'its namespace'],
  ['.hardware.metadata.labels', 'its labels'],
  ['.hardware.spec', 'the Hardware as it is stored'],
  ['.references', 'objects that the Hardware references'],
];

const functions: Words = [
  ['if', 'begins a part that appears on a condition'],
  ['else', 'the other part of an if'],
  ['end', 'ends an if, a range or a with'],
  ['range', 'repeats a part for each item'],
  ['with', 'a part for a value that is not empty'],
  ['index', 'an item of a list or a map'],
  ['default', 'a value in place of an empty one'],
  ['quote', 'in double quotes'],
  ['toYaml', 'as YAML'],
  ['toJson', 'as JSON'],
  ['indent', 'moves each line to the right'],
  ['nindent', 'the same, on a new line'],
  ['trim', 'without blanks at both ends'],
  ['lower', 'in lower case'],
  ['upper', 'in upper case'],
  ['replace', 'replaces a text in a text'],
  ['join', 'joins a list to a text'],
  ['split', 'splits a text'],
  ['contains', 'whether a text contains another one'],
  ['hasPrefix', 'whether a text starts with another one'],
  ['b64enc', 'as Base64'],
  ['b64dec', 'from Base64'],
  ['sha256sum', 'the SHA-256 checksum'],
  ['formatPartition', 'the device of a partition'],
  ['eq', 'whether two values are equal'],
  ['ne', 'whether they differ'],
  ['and', 'whether all are true'],
  ['or', 'the first that is not empty'],
  ['not', 'the opposite'],
  ['printf', 'a text with values in it'],
];

const keys: Words = [
  ['version: "0.1"', 'of the format'],
  ['name: ', 'of the workflow, a task or an action'],
  ['global_timeout: 1800', 'seconds for the whole workflow'],
  ['tasks:', 'what is done, each on one worker'],
  ['worker: "{{ .device_1 }}"', 'the agent that runs the task'],
  ['actions:', 'the steps of the task, in order'],
  ['image: ', 'what the action runs'],
  ['timeout: 300', 'seconds for the action'],
  ['environment:', 'variables of an action, or of all actions of a task'],
  ['volumes:', 'mounts, such as /dev:/dev'],
  ['command: [""]', 'words in place of the command of the image'],
  ['pid: host', 'shares the processes of the in-memory OS'],
  ['retries: 2', 'tries after a failure'],
  ['backoff: 10', 'seconds before the first retry; doubles'],
  ['onInterrupted: retry', 'after a restart of the agent: retry, fail or ask'],
  ['if: ""', 'a condition; empty, false, 0 and no skip the action'],
  ['on-failure:', 'actions after the action has failed'],
];

const images: Words = [
  ['image2disk', 'writes a disk image from a URL'],
  ['oci2disk', 'writes a disk image from a registry'],
  ['qemuimg2disk', 'writes a qcow2 image'],
  ['archive2disk', 'unpacks a tar archive onto a disk'],
  ['rootio', 'partitions and formats disks'],
  ['writefile', 'writes a file on a disk'],
  ['cexec', 'runs a command in the installed system'],
  ['grub2disk', 'installs GRUB'],
  ['erase', 'erases disks'],
  ['verify', 'checks what is on a disk'],
  ['inventory', 'reports the hardware'],
  ['burnin', 'tests memory, processor and disks'],
  ['mdraid', 'makes a RAID'],
  ['lvm', 'makes logical volumes'],
  ['luks', 'encrypts a disk'],
  ['kexec', 'starts the installed system without a reboot'],
  ['reboot', 'restarts the machine'],
];
const IMAGE_PREFIX = 'quay.io/tinkerbell/actions/';
const SHOWN_MAX = 8;

/** `before` is the text up to the cursor. Undefined where nothing is known. */
export function templateCompletion(before: string): Completion | undefined {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const expression = EXPRESSION.exec(line);
  if (expression !== null) return fitting(expression[1] ?? '', [...expressions, ...functions]);
  const image = IMAGE.exec(line)?.[1];
  if (image !== undefined) return imagesFor(image);
  const key = KEY.exec(line)?.[2];
  return key === undefined ? undefined : fitting(key, keys);
}

function imagesFor(typed: string): Completion | undefined {
  const name = typed.slice(typed.lastIndexOf('/') + 1);
  const found = images
    .filter(([text]) => text.startsWith(name) || typed === IMAGE_PREFIX.slice(0, typed.length))
    .map(([text, help]) => ({ text: `${IMAGE_PREFIX}${text}:latest`, help }));
  return complete(typed, found);
}

/** Words that start with what was typed come first, then those that contain it. */
function fitting(typed: string, words: Words): Completion | undefined {
  const wanted = typed.toLowerCase();
  const ranked = words
    .map(([text, help]) => ({ text, help, at: text.toLowerCase().indexOf(wanted) }))
    .filter(({ text, at }) => at >= 0 && text !== typed)
    .toSorted((one, other) => Math.sign(one.at) - Math.sign(other.at));
  return complete(typed, ranked);
}

function complete(typed: string, items: Completion['items']): Completion | undefined {
  return items.length === 0 ? undefined : { typed, items: items.slice(0, SHOWN_MAX) };
}
