export { createLeadership, type Leadership, type LeadershipOptions } from './leadership.ts';
