/** What a client sets (RFC 9113, section 6.5.2). */
import {
  ConnectionError,
  FRAME_BYTES_MAX,
  WINDOW_MAX,
  errorCodes,
  settingIds,
  uint16At,
  uint32At,
} from './frame.ts';
import { protocolError } from './frame-payload.ts';

const SETTING_BYTES = 6;
const FRAME_SIZE_MAX = 0xff_ffff;

/** Returns the first window of streams after the settings in `payload`. Throws a ConnectionError for an invalid one. */
export function windowAfter(before: number, payload: Uint8Array): number {
  let window = before;
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const [id, value] = [uint16At(payload, at), uint32At(payload, at + 2)];
    if (id === settingIds.enablePush && value > 1) throw protocolError('a wrong setting of pushes');
    if (id === settingIds.maxFrameSize && (value < FRAME_BYTES_MAX || value > FRAME_SIZE_MAX))
      throw protocolError('a wrong size of frames');
    if (id !== settingIds.initialWindowSize) continue;
    if (value > WINDOW_MAX) throw new ConnectionError(errorCodes.flowControl, 'a window is too large');
    window = value;
  }
  return window;
}
