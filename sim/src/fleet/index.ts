export type { FleetOptions } from './fleet-options.ts';
export { isHeld, reportText, type FleetReport } from './fleet-report.ts';
export { FleetError, removeSite, type FleetApi } from './fleet-site.ts';
export { runFleet } from './run-fleet.ts';
export { LINES_MAX, RecordingReader, type Recording } from './recording.ts';
