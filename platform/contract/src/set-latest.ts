/** Makes an entry the latest one of a map, and forgets the one that was set longest ago if there are now more than `max`. */
export function setLatest<Key, Value>(
  map: Map<Key, Value>,
  [key, value]: readonly [key: Key, value: Value],
  max: number,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
