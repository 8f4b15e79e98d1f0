/** All classes. */
import type { Attack } from './attack.ts';
import { damagedImages } from './damaged-images.ts';
import { damagedStores } from './damaged-stores.ts';
import { falseIdentities, otherNamespaces } from './false-identities.ts';
import { gatewaySpellings } from './gateway-spellings.ts';
import { growingPatches } from './growing-patches.ts';
import { hostilePatterns, hostileSelectors } from './hostile-patterns.ts';
import { http2Frames } from './http2-frames.ts';
import { lostConnections } from './lost-connections.ts';
import { packets } from './packets.ts';
import { pipelinedRequests } from './pipelined-requests.ts';
import { requestTargets } from './request-targets.ts';
import { selfFetches } from './self-fetches.ts';
import { slowTemplates } from './slow-templates.ts';
import { stalledReaders } from './stalled-readers.ts';
import { tinyChunks } from './tiny-chunks.ts';
import { undeclaredBodies } from './undeclared-bodies.ts';
import { wideBodies, wideReviews } from './wide-bodies.ts';
import { yamlBombs } from './yaml-bombs.ts';

export const attacks: readonly Attack[] = [
  damagedImages,
  damagedStores,
  falseIdentities,
  gatewaySpellings,
  otherNamespaces,
  growingPatches,
  hostilePatterns,
  hostileSelectors,
  http2Frames,
  lostConnections,
  packets,
  pipelinedRequests,
  requestTargets,
  selfFetches,
  slowTemplates,
  stalledReaders,
  tinyChunks,
  undeclaredBodies,
  wideBodies,
  wideReviews,
  yamlBombs,
];
