import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingRights, requiredRules } from './required-rules.ts';

const read = ['get', 'list', 'watch'];

test('names each verb and resource that is not granted', () => {
  assert.deepEqual(missingRights(requiredRules), []);
  assert.deepEqual(missingRights([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]), []);
  const others = requiredRules.filter(({ resources }) => !resources.includes('leases'));
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: read };
  assert.deepEqual(
    missingRights([...others, leases]),
    ['create', 'update', 'delete'].map((verb) => `${verb} leases.coordination.k8s.io`),
  );
});

test('a permission for named objects is not one for all, and the one to create namespaces is optional', () => {
  const named = requiredRules.map((rule) =>
    rule.resources.includes('secrets') ? { ...rule, resourceNames: ['one'] } : rule,
  );
  assert.ok(missingRights(named).includes('list secrets'));
  const readOnly = requiredRules.map((rule) =>
    rule.resources.includes('namespaces') ? { ...rule, verbs: read } : rule,
  );
  assert.deepEqual(missingRights(readOnly), []);
});
