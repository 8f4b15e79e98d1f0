/** Runs commands in order with kubectl, the oldest and the newest, each with its expected output. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { kubectlClients } from './kubectl-clients.ts';
import { startServer, type ServerChild } from './start-server.ts';

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), 'tinkerbell-kubectl-script-'));
const crd = join(import.meta.dirname, '../../api/crd/tinkerbell.org_hardware.yaml');

const files: Readonly<Record<string, string>> = {
  'hardware.yaml': `
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: h, labels: {rack: one}}
spec: {interfaces: [{dhcp: {mac: "52:54:00:12:34:56"}}]}
`,
  'changed.yaml': `
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: h, labels: {rack: one}}
spec: {userData: changed, interfaces: [{dhcp: {mac: "52:54:00:12:34:56"}}]}
`,
  'half.yaml': `
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: half}
spec: {interfaces: [{dhcp: {mac: "52:54:00:12:34:57", tftp_server_name: x}}]}
`,
  'typo.yaml': `
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: typo}
spec: {userDatum: x}
`,
  'apply.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: applied}
data: {a: "1"}
`,
  'conflict.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: applied}
data: {a: "2"}
`,
  'racks.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: racks.example.org}
spec:
  group: example.org
  scope: Cluster
  names: {plural: racks, singular: rack, kind: Rack, shortNames: [rk]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Units, type: integer, jsonPath: .spec.units}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {units: {type: integer, description: "Height units."}, row: {type: string, default: a}}
            x-kubernetes-validations: [{rule: "self.units <= 48", message: too high}]
`,
  'rack.yaml': `
apiVersion: example.org/v1
kind: Rack
metadata: {name: r, finalizers: [example.org/hold]}
spec: {units: 42}
`,
};

type Step = readonly [command: string, says: RegExp, outcome?: 'fails' | 'either'];

/**
 * Words are separated by spaces. A name in `files` is replaced by that file, and `CRD` by Tinkerbell's own
 * definition of Hardware.
 */
const steps: readonly Step[] = [
  ['version', /Server Version: .*(?:Major:"1"|v1\.\d)/],
  ['api-versions', /tinkerbell\.org\/v1alpha1\nv1\n/],
  ['api-resources', /hardware +hw +tinkerbell\.org\/v1alpha1 +true +Hardware/],
  ['api-resources --namespaced=false', /namespaces +ns +v1 +false +Namespace/],
  ['get ns', /default +Active[^]*kube-system +Active[^]*tinkerbell +Active/],
  ['delete ns default', /may not be deleted/, 'fails'],
  ['auth can-i create workflows', /^yes/],
  ['auth can-i --list', /\*\.\*/],
  ['explain hardware', /KIND: +Hardware[^]*spec\s/],
  ['explain hardware.spec.interfaces', /(?:RESOURCE|FIELD): interfaces <\[\]Object>/],
  ['explain hardware.spec.interfaces.dhcp.lease_time', /Lease duration in seconds\s+\(DHCP option 51\)/],
  ['explain workflow.spec.bootOptions.bootMode', /How the BMC boots the machine/],
  ['explain machine.spec.connection.host', /Address or DNS name of the BMC/],
  ['explain secret.stringData', /map\[string\]string/],
  ['create --dry-run=server -f hardware.yaml', /created \(server dry run\)/],
  ['get hw h', /not found/, 'fails'],
  ['create -f hardware.yaml', /hardware\.tinkerbell\.org\/h created/],
  ['create -f hardware.yaml', /AlreadyExists/, 'fails'],
  ['create -f half.yaml', /TFTPServerName and BootFileName/, 'fails'],
  ['create -f typo.yaml', /unknown field "(?:spec\.)?userDatum"/, 'fails'],
  ['create --validate=false -f typo.yaml', /created/],
  ['diff -f changed.yaml', /userData: changed/, 'fails'],
  ['apply -f changed.yaml', /configured/],
  ['diff -f changed.yaml', /^$/],
  ['get hw', /NAME +STATE +MAC +ADDRESS +AGE\nh +no workflow /],
  ['get hw -l rack=one -o name', /^hardware\.tinkerbell\.org\/h\n$/],
  ['get hw -l rack!=one -o name', /^hardware\.tinkerbell\.org\/typo\n$/],
  ['get hw --field-selector metadata.name=h -o name', /^hardware\.tinkerbell\.org\/h\n$/],
  ['get hw --field-selector spec.userData=x', /field label not supported/, 'fails'],
  ['get hw --chunk-size=1 -o name', /h\n.*typo\n/],
  ['get hw h -o json', /"userData": "changed"/],
  ['get hw h -o yaml', /userData: changed/],
  ['get hw h -o wide', /^NAME/],
  ['get hw h -o jsonpath={.spec.userData}', /^changed$/],
  ['get hw -o custom-columns=N:.metadata.name', /^N\nh\ntypo\n$/],
  ['get hw --sort-by=.metadata.name', /h [^]*typo/],
  ['describe hw h', /User Data: +changed/],
  ['label hw h row=a', /labeled/],
  ['label hw h row=b', /already has a value/, 'fails'],
  ['annotate hw h note=x', /annotated/],
  ['patch hw h --type merge -p {"spec":{"userData":"merged"}}', /patched/],
  ['patch hw h --type json -p [{"op":"remove","path":"/spec/userData"}]', /patched/],
  ['patch hw h --type json -p [{"op":"test","path":"/spec/x","value":1}]', /invalid/, 'fails'],
  ['patch hw h -p {"spec":{}}', /not supported/, 'fails'],
  ['replace -f hardware.yaml', /replaced/],
  ['edit hw h', /edited/],
  ['get hw h -o jsonpath={.metadata.labels.rack}', /^two$/],
  ['create ns lab', /namespace\/lab created/],
  ['create cm c --from-literal=x=y -n lab', /configmap\/c created/],
  ['patch cm c -n lab -p {"data":{"z":"1"}}', /patched/],
  ['get cm c -n lab -o jsonpath={.data}', /{"x":"y","z":"1"}/],
  ['create secret generic s --from-literal=password=p -n lab', /secret\/s created/],
  ['get secret s -n lab -o jsonpath={.data.password}', /^cA==$/],
  ['get secret -n lab --field-selector type=Opaque -o name', /^secret\/s\n$/],
  ['patch secret s -n lab -p {"data":{"password":"?"}}', /data\.password: must be base64/, 'fails'],
  ['patch secret s -n lab -p {"immutable":true}', /patched/],
  ['patch secret s -n lab -p {"stringData":{"password":"q"}}', /immutable/, 'fails'],
  ['describe secret s -n lab', /password: +1 bytes/],
  ['get secret,cm -n lab', /secret\/s +Opaque +1[^]*configmap\/c +2/],
  ['delete ns lab', /namespace "lab" deleted/],
  ['get cm -A -o name', /^$/],
  ['apply --server-side -f apply.yaml', /configmap\/applied serverside-applied/],
  [
    'apply --server-side --field-manager=other -f conflict.yaml',
    /conflict with "kubectl".*\.data\.a/,
    'fails',
  ],
  ['apply --server-side --field-manager=other --force-conflicts -f conflict.yaml', /serverside-applied/],
  ['get cm applied -o jsonpath={.data.a}', /^2$/],
  ['delete cm applied', /deleted/],
  ['apply -f CRD', /hardware\.tinkerbell\.org created/],
  ['wait --for=condition=Established --timeout=5s crd/hardware.tinkerbell.org', /condition met/],
  ['delete crd hardware.tinkerbell.org', /deleted/],
  ['get hw h -o name', /h\n/],
  ['apply -f racks.yaml', /racks\.example\.org created/],
  ['wait --for=condition=Established --timeout=5s crd/racks.example.org', /condition met/],
  ['apply -f rack.yaml', /rack\.example\.org\/r created/],
  ['apply -f rack.yaml', /unchanged/],
  ['get rk', /NAME +UNITS +AGE\nr +42 /],
  ['get rk r -o jsonpath={.spec.row}', /^a$/],
  ['explain rack.spec.units', /Height units/],
  ['patch rk r --type merge -p {"spec":{"units":50}}', /spec: .*too high/, 'fails'],
  ['delete rk r --wait=false', /deleted/],
  ['get rk r -o jsonpath={.metadata.deletionTimestamp}', /^20/],
  ['patch rk r --type merge -p {"metadata":{"finalizers":null}}', /patched/],
  ['wait --for=delete --timeout=5s rk/r', /no matching resources|^$/, 'either'],
  ['delete crd racks.example.org', /deleted/],
  ['get racks', /doesn't have a resource type|could not find/, 'fails'],
  ['delete hw --all --cascade=foreground', /"h" deleted.*\n.*"typo" deleted/],
  ['get hw -o name', /^$/],
];

before(() => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
});

after(() => rmSync(home, { recursive: true }));

for (const { name, path, skip } of await kubectlClients()) {
  test(`${name} behaves as with a cluster`, { skip }, async () => {
    await using server = await startServer();
    const wrong: string[] = [];
    for (const [command, says, outcome] of steps) {
      const { text, hasFailed } = await said(path, server, command);
      const isAsExpected = says.test(text) && (outcome === 'either' || hasFailed === (outcome === 'fails'));
      if (!isAsExpected)
        wrong.push(`kubectl ${command}: ${hasFailed ? 'failed: ' : ''}${text}; expected ${says}`);
    }
    assert.deepEqual(wrong, []);
  });
}

/** Everything that it printed, to either stream. */
async function said(
  kubectlPath: string,
  server: ServerChild,
  command: string,
): Promise<{ text: string; hasFailed: boolean }> {
  const words = command
    .split(' ')
    .map((word) => (word === 'CRD' ? crd : word))
    .map((word) => (word in files ? join(home, word) : word));
  const own = [
    '--kubeconfig',
    join(server.dataDirectory, 'kubeconfig'),
    '--cache-dir',
    join(server.dataDirectory, 'cache'),
  ];
  const environment = { ...process.env, HOME: home, KUBE_EDITOR: 'sed -i s/rack:.one/rack:\\ two/' };
  try {
    const { stdout, stderr } = await run(kubectlPath, [...own, ...words], { env: environment });
    return { text: stdout + stderr, hasFailed: false };
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout: string; stderr: string };
    return { text: stdout + stderr, hasFailed: true };
  }
}
