import { boolean, flagGroup, number, text } from '../flag.ts';

export const agentFlags = flagGroup('Agents', {
  'tink-server-bind-addr': text('address of the gRPC service', { fallback: '--bind-address' }),
  'tink-server-bind-port': number('port of the gRPC service', { default: '42113' }),
  'agent-auth': text(
    'off, optional (an agent with a session can act for its own machine only; others act as in upstream) or required',
    { default: 'optional' },
  ),
  'agent-claim': text(
    'for agents behind a proxy that verifies tokens: the claim that must equal the agent id. The gateway and other --trusted-proxies send it in x-tinkerbell-claim',
  ),
  'provisioning-namespace': text('namespace of the Hardware, Templates and jobs of the Provisioning API', {
    default: 'default',
  }),
  'tink-server-auto-discovery-enabled': boolean(
    'create a Hardware for an unknown machine from the inventory its agent reports',
    { default: 'false' },
  ),
  'tink-server-auto-discovery-namespace': text('namespace of discovered Hardware', { default: 'default' }),
  'tink-server-auto-discovery-auto-enrollment-enabled': boolean(
    'allow enrollment of discovered Hardware later, not only at its discovery',
    { default: 'false' },
  ),
  'tink-server-auto-discovery-approval': boolean(
    'enroll discovered Hardware only after tink hardware approve',
    { default: 'false' },
  ),
  'tink-server-auto-discovery-max': number('maximum number of discovered Hardware', { default: '1000' }),
  'tink-server-auto-enrollment-enabled': boolean(
    'create a Workflow from WorkflowRuleSets for an agent that has none',
    { default: 'false' },
  ),
});

export const controllerFlags = flagGroup('Templates', {
  'tink-controller-reference-allow-list-rules': text(
    'objects of spec.references that Templates may read although a rule denies them: event patterns separated by |',
  ),
  'tink-controller-reference-deny-list-rules': text(
    'objects of spec.references that Templates may not read: event patterns separated by |',
    { fallback: 'all' },
  ),
});
