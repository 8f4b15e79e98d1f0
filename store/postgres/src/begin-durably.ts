/** `synchronous_commit` weaker than `on` would acknowledge what a power cut takes; stronger settings of the operator stay. */
export const BEGIN_DURABLY = `begin;
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') in ('off', 'local')`;
