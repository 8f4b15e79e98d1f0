/** What a peer sets (RFC 9113, section 6.5.2). */
import {
  ConnectionError,
  FRAME_BYTES_MAX,
  WINDOW_DEFAULT,
  WINDOW_MAX,
  errorCodes,
  settingIds,
  uint16At,
  uint32At,
} from './frame.ts';
import { protocolError } from './frame-payload.ts';

const SETTING_BYTES = 6;
const FRAME_SIZE_MAX = 0xff_ffff;

export interface PeerSettings {
  /** The first window of a stream. */
  readonly streamWindow: number;
  /** How many streams the peer accepts at once. */
  readonly streamsMax: number;
}

export const INITIAL_SETTINGS: PeerSettings = { streamWindow: WINDOW_DEFAULT, streamsMax: WINDOW_MAX };

/** Returns the settings after those in `payload`. Throws a ConnectionError for an invalid one. */
export function settingsAfter(before: PeerSettings, payload: Uint8Array): PeerSettings {
  let { streamWindow, streamsMax } = before;
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const [id, value] = [uint16At(payload, at), uint32At(payload, at + 2)];
    if (id === settingIds.enablePush && value > 1) throw protocolError('a wrong setting of pushes');
    if (id === settingIds.maxFrameSize && (value < FRAME_BYTES_MAX || value > FRAME_SIZE_MAX))
      throw protocolError('a wrong size of frames');
    if (id === settingIds.maxConcurrentStreams) streamsMax = value;
    if (id !== settingIds.initialWindowSize) continue;
    if (value > WINDOW_MAX) throw new ConnectionError(errorCodes.flowControl, 'a window is too large');
    streamWindow = value;
  }
  return { streamWindow, streamsMax };
}
