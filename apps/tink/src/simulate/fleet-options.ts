/** Reads the options of `tink simulate`. */
import { resolve4 } from 'node:dns/promises';
import type { FleetOptions } from '@tinkerbell/sim/fleet';
import { ipv4ToNumber, isHostAddress, parseIpv4 } from '@tinkerbell/wire';
import { usageFailure } from '../failure.ts';
import { secondsOf } from '../output/time-span.ts';

/** As given on the command line. */
export interface SimulateOptions {
  readonly machines: string;
  /** Absent: random. */
  readonly seed?: string;
  readonly atOnce: string;
  readonly rate?: string;
  readonly loss: string;
  readonly duplicates: string;
  readonly crashes: string;
  readonly speed: string;
  readonly actions: string;
  readonly work: string;
  readonly images: string;
  readonly timeout: string;
  readonly relay: string;
  readonly bootServer?: string;
  readonly dhcpPort: string;
  readonly tftpPort: string;
  readonly record?: string;
  readonly replay?: string;
  readonly clean?: boolean;
  readonly keep?: boolean;
  readonly besideOthers?: boolean;
  readonly json?: boolean;
}

export const DEFAULTS = {
  machines: '100',
  atOnce: '500',
  loss: '0',
  duplicates: '0',
  crashes: '0',
  speed: '1',
  actions: '3',
  work: '1-10',
  images: 'head',
  timeout: '10m',
  /** Of 198.18.0.0/15, the range for benchmarks (RFC 2544). */
  relay: '198.18.0.1',
  dhcpPort: '67',
  tftpPort: '69',
} as const;

const MACHINES_MAX = 65_000;
const SEED_MAX = 999_999_999;
const ACTIONS_MAX = 100;
const SPEED_MAX = 1000;
const WORK_SECONDS_MAX = 3600;
const IMAGES = ['none', 'head', 'whole'] as const;

interface Place {
  readonly server: string;
  readonly namespace: string;
  /** Used unless the command line has one. */
  readonly randomSeed: number;
}

/** Throws a usage failure that names the option. */
export async function fleetOptionsOf(options: SimulateOptions, place: Place): Promise<FleetOptions> {
  const images = IMAGES.find((one) => one === options.images);
  if (images === undefined)
    throw usageFailure(`--images must be ${IMAGES.join(', ')}, not ${quoted(options.images)}`);
  const machines = wholeNumber('--machines', options.machines, { min: 1, max: MACHINES_MAX });
  const relayAddress = relayOf(options.relay, machines);
  return {
    seed: wholeNumber('--seed', options.seed ?? String(place.randomSeed), { min: 1, max: SEED_MAX }),
    machines,
    namespace: place.namespace,
    relayAddress,
    bootServer: {
      address: await bootServerOf(options.bootServer, place.server),
      dhcpPort: wholeNumber('--dhcp-port', options.dhcpPort, { min: 1, max: 65_535 }),
      tftpPort: wholeNumber('--tftp-port', options.tftpPort, { min: 1, max: 65_535 }),
    },
    atOnce: wholeNumber('--at-once', options.atOnce, { min: 1, max: MACHINES_MAX }),
    perSecond:
      options.rate === undefined
        ? Number.POSITIVE_INFINITY
        : number('--rate', options.rate, { min: 0.01, max: 100_000 }),
    loss: share('--loss', options.loss),
    duplication: share('--duplicates', options.duplicates),
    crashes: share('--crashes', options.crashes),
    speed: number('--speed', options.speed, { min: 0.1, max: SPEED_MAX }),
    actions: wholeNumber('--actions', options.actions, { min: 1, max: ACTIONS_MAX }),
    workMs: workOf(options.work),
    images,
    timeoutMs: secondsOf('--timeout', options.timeout) * 1000,
    keep: options.keep === true,
    besideOthers: options.besideOthers === true,
  };
}

/** The machines have the addresses after it, all in one network of 8 bits. */
function relayOf(text: string, machines: number): FleetOptions['relayAddress'] {
  const relay = parseIpv4(text);
  if (relay === undefined || !isHostAddress(relay))
    throw usageFailure(
      `--relay must be an IPv4 address of this host and not of loopback, not ${quoted(text)}`,
    );
  const [first, last] = [ipv4ToNumber(relay), ipv4ToNumber(relay) + machines];
  if (Math.floor(first / 2 ** 24) !== Math.floor((last + 1) / 2 ** 24))
    throw usageFailure(`--relay ${relay} leaves no room for ${machines} addresses after it`);
  return relay;
}

/** The address of DHCP and TFTP, which is that of the API unless said otherwise. */
async function bootServerOf(asked: string | undefined, server: string): Promise<string> {
  const host = asked ?? new URL(server).hostname;
  if (host === 'localhost') return '127.0.0.1';
  const given = parseIpv4(host);
  if (given !== undefined) return given;
  const [found] = await resolve4(host).catch(() => []);
  if (found !== undefined) return found;
  throw usageFailure(
    `${asked === undefined ? `the host ${quoted(host)} of the API` : `--boot-server ${quoted(host)}`} has no IPv4 address`,
    'name the address of DHCP and TFTP: --boot-server ADDRESS',
  );
}

function workOf(text: string): FleetOptions['workMs'] {
  const [, first = '', last = first] = /^([\d.]+)(?:-([\d.]+))?$/.exec(text) ?? [];
  const limits = { min: 0, max: WORK_SECONDS_MAX };
  const [min, max] = [number('--work', first, limits), number('--work', last, limits)];
  if (min > max) throw usageFailure(`--work must be SECONDS or SECONDS-SECONDS, not ${quoted(text)}`);
  return { min: min * 1000, max: max * 1000 };
}

interface Limits {
  readonly min: number;
  readonly max: number;
}

function share(option: string, text: string): number {
  return number(option, text, { min: 0, max: 1 });
}

function wholeNumber(option: string, text: string, limits: Limits): number {
  const value = numberIn(text, limits);
  if (value !== undefined && Number.isInteger(value)) return value;
  throw usageFailure(
    `${option} must be a whole number from ${limits.min} to ${limits.max}, not ${quoted(text)}`,
  );
}

function number(option: string, text: string, limits: Limits): number {
  const value = numberIn(text, limits);
  if (value !== undefined) return value;
  throw usageFailure(`${option} must be a number from ${limits.min} to ${limits.max}, not ${quoted(text)}`);
}

function numberIn(text: string, { min, max }: Limits): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return value >= min && value <= max ? value : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
