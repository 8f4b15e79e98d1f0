/** The addresses of a simulated site: the server, then up to 65,000 machines. */

export const SERVER_ADDRESS = '10.0.0.1';
export const HTTP_URL = `http://${SERVER_ADDRESS}:7080`;
const FIRST_ADDRESS = 0x0a00_0100;

export function macOf(index: number): string {
  return `02:00:${index
    .toString(16)
    .padStart(8, '0')
    .replaceAll(/(..)(?!$)/g, '$1:')}`;
}

export function addressOf(index: number): string {
  const address = FIRST_ADDRESS + index;
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}
