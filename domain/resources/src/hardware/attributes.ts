/** What a BMC tells of a machine's parts, as the inventory writes it into the status of a Hardware. */
import { Type, type Static } from '../schema.ts';
import { dateTime, int32, int64 } from '../schema-builders.ts';

const text = Type.Optional(Type.String());

/** What is told of every part. */
const component = {
  firmwareVersion: text,
  model: text,
  serialNumber: text,
  status: Type.Optional(
    Type.Object({ health: text, postCode: Type.Optional(int32()), postCodeStatus: text, state: text }),
  ),
  vendor: text,
};

export const OutOfBandAttributes = Type.Object({
  baseboard: Type.Optional(
    Type.Object({
      ...component,
      description: text,
    }),
  ),
  bios: Type.Optional(
    Type.Object({
      ...component,
      releaseDate: text,
    }),
  ),
  blockDevices: Type.Optional(
    Type.Array(
      Type.Object({
        ...component,
        controllerType: text,
        driveType: text,
        name: text,
        physicalBlockSizeBytes: Type.Optional(int64()),
        sizeBytes: Type.Optional(int64()),
        smartStatus: text,
        wwn: text,
      }),
    ),
  ),
  bmc: Type.Optional(
    Type.Object({
      ...component,
      nic: Type.Optional(
        Type.Object({
          firmwareVersion: text,
          model: text,
          name: text,
          ports: Type.Optional(
            Type.Array(
              Type.Object({
                enabledCapabilities: Type.Optional(Type.Array(Type.String())),
                linkStatus: text,
                mac: text,
                mtu: Type.Optional(int32()),
                portID: text,
                speedMbps: Type.Optional(int32()),
              }),
            ),
          ),
          serialNumber: text,
          vendor: text,
        }),
      ),
    }),
  ),
  chassis: Type.Optional(
    Type.Object({
      model: text,
      serialNumber: text,
      vendor: text,
    }),
  ),
  collectionMethod: text,
  cpu: Type.Optional(
    Type.Object({
      sockets: Type.Optional(
        Type.Array(
          Type.Object({
            capabilities: Type.Optional(Type.Array(Type.String())),
            clockSpeedMHz: Type.Optional(int32()),
            cores: Type.Optional(int32()),
            firmwareVersion: text,
            model: text,
            serialNumber: text,
            slot: text,
            threads: Type.Optional(int32()),
            vendor: text,
          }),
        ),
      ),
      totalCores: Type.Optional(int32()),
      totalThreads: Type.Optional(int32()),
    }),
  ),
  gpuDevices: Type.Optional(
    Type.Array(
      Type.Object({
        ...component,
        class: text,
        description: text,
        driver: text,
      }),
    ),
  ),
  lastUpdated: Type.Optional(dateTime()),
  memory: Type.Optional(
    Type.Object({
      modules: Type.Optional(
        Type.Array(
          Type.Object({
            firmwareVersion: text,
            formFactor: text,
            model: text,
            partNumber: text,
            serialNumber: text,
            sizeBytes: Type.Optional(int64()),
            slot: text,
            speedMHz: Type.Optional(int32()),
            vendor: text,
          }),
        ),
      ),
      totalBytes: Type.Optional(int64()),
      usableBytes: Type.Optional(int64()),
    }),
  ),
  networkInterfaces: Type.Optional(
    Type.Array(
      Type.Object({
        firmwareVersion: text,
        model: text,
        name: text,
        ports: Type.Optional(
          Type.Array(
            Type.Object({
              enabledCapabilities: Type.Optional(Type.Array(Type.String())),
              linkStatus: text,
              mac: text,
              mtu: Type.Optional(int32()),
              portID: text,
              speedMbps: Type.Optional(int32()),
            }),
          ),
        ),
        serialNumber: text,
        vendor: text,
      }),
    ),
  ),
  pciDevices: Type.Optional(
    Type.Array(
      Type.Object({
        class: text,
        driver: text,
        model: text,
        vendor: text,
      }),
    ),
  ),
  product: Type.Optional(
    Type.Object({
      model: text,
      name: text,
      serialNumber: text,
      status: Type.Optional(
        Type.Object({
          health: text,
          postCode: Type.Optional(int32()),
          postCodeStatus: text,
          state: text,
        }),
      ),
      vendor: text,
    }),
  ),
  psus: Type.Optional(
    Type.Array(
      Type.Object({
        ...component,
        description: text,
        powerCapacityWatts: Type.Optional(int64()),
      }),
    ),
  ),
  storageControllers: Type.Optional(
    Type.Array(
      Type.Object({
        ...component,
        description: text,
      }),
    ),
  ),
  tpms: Type.Optional(
    Type.Array(
      Type.Object({
        ...component,
        interfaceType: text,
      }),
    ),
  ),
});
export type OutOfBandAttributes = Static<typeof OutOfBandAttributes>;
