/**
 * A `synchronous_commit` weaker than `on` would acknowledge commits that a power cut loses. Stronger settings of the operator are
 * kept.
 */
export const BEGIN_DURABLY = `begin;
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') in ('off', 'local')`;
