/** The reason why an agent gets no Workflow automatically. Messages and codes are upstream's where upstream has them. */
export interface EnrollmentRefusal {
  readonly code: 'not-found' | 'failed-precondition' | 'internal';
  readonly message: string;
}

export const existingWorkflow: EnrollmentRefusal = {
  code: 'failed-precondition',
  message: 'existing workflow found',
};

export function noRuleSetMatched(agentId: string): EnrollmentRefusal {
  return {
    code: 'not-found',
    message: `no Workflow Rule Sets found or matched for Agent ${agentId}`,
  };
}
