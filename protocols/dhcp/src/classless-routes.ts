import { ByteReader, ByteWriter, decoded, ipv4FromNumber, ipv4ToNumber, type Ipv4 } from '@tinkerbell/wire';
import type { OptionCodec } from './option-codec.ts';

/** One route of option 121: traffic for the network goes to `router` (0.0.0.0 means that the network is on the link). */
export interface ClasslessRoute {
  readonly destination: Ipv4;
  readonly prefixLength: number;
  readonly router: Ipv4;
}

/** Option 121, RFC 3442: prefix length, the significant octets of the destination only, router. */
export const classlessRoutesOption: OptionCodec<readonly ClasslessRoute[]> = {
  decode: (bytes) => {
    const routes = decoded(() => readRoutes(new ByteReader(bytes)));
    return routes.ok && routes.value.length > 0 ? routes.value : undefined;
  },
  encode: (routes) => {
    const writer = new ByteWriter(routes.length * 9);
    for (const { destination, prefixLength, router } of routes) {
      writer.uint8(prefixLength);
      const value = ipv4ToNumber(destination);
      for (let octet = 0; octet < significantOctets(prefixLength); octet++)
        writer.uint8(value >>> (24 - octet * 8));
      writer.ipv4(router);
    }
    return writer.finish();
  },
};

function readRoutes(reader: ByteReader): readonly ClasslessRoute[] {
  const routes: ClasslessRoute[] = [];
  while (reader.remaining > 0) {
    const prefixLength = reader.uint8('prefix length');
    if (prefixLength > 32) reader.fail('out-of-range', 'prefix length', `${prefixLength} is above 32`);
    let value = 0;
    for (let octet = 0; octet < significantOctets(prefixLength); octet++) {
      value += reader.uint8('destination') * 2 ** (24 - octet * 8);
    }
    routes.push({ destination: ipv4FromNumber(value), prefixLength, router: reader.ipv4('router') });
  }
  return routes;
}

function significantOctets(prefixLength: number): number {
  return Math.ceil(prefixLength / 8);
}
