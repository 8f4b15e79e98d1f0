import { Type, type Static } from 'typebox';
import { dateTime, int32, int64 } from '../schema-builders.ts';

export const OutOfBandAttributes = Type.Object({
  baseboard: Type.Optional(
    Type.Object({
      description: Type.Optional(Type.String()),
      firmwareVersion: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      serialNumber: Type.Optional(Type.String()),
      status: Type.Optional(
        Type.Object({
          health: Type.Optional(Type.String()),
          postCode: Type.Optional(int32()),
          postCodeStatus: Type.Optional(Type.String()),
          state: Type.Optional(Type.String()),
        }),
      ),
      vendor: Type.Optional(Type.String()),
    }),
  ),
  bios: Type.Optional(
    Type.Object({
      firmwareVersion: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      releaseDate: Type.Optional(Type.String()),
      serialNumber: Type.Optional(Type.String()),
      status: Type.Optional(
        Type.Object({
          health: Type.Optional(Type.String()),
          postCode: Type.Optional(int32()),
          postCodeStatus: Type.Optional(Type.String()),
          state: Type.Optional(Type.String()),
        }),
      ),
      vendor: Type.Optional(Type.String()),
    }),
  ),
  blockDevices: Type.Optional(
    Type.Array(
      Type.Object({
        controllerType: Type.Optional(Type.String()),
        driveType: Type.Optional(Type.String()),
        firmwareVersion: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
        physicalBlockSizeBytes: Type.Optional(int64()),
        serialNumber: Type.Optional(Type.String()),
        sizeBytes: Type.Optional(int64()),
        smartStatus: Type.Optional(Type.String()),
        status: Type.Optional(
          Type.Object({
            health: Type.Optional(Type.String()),
            postCode: Type.Optional(int32()),
            postCodeStatus: Type.Optional(Type.String()),
            state: Type.Optional(Type.String()),
          }),
        ),
        vendor: Type.Optional(Type.String()),
        wwn: Type.Optional(Type.String()),
      }),
    ),
  ),
  bmc: Type.Optional(
    Type.Object({
      firmwareVersion: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      nic: Type.Optional(
        Type.Object({
          firmwareVersion: Type.Optional(Type.String()),
          model: Type.Optional(Type.String()),
          name: Type.Optional(Type.String()),
          ports: Type.Optional(
            Type.Array(
              Type.Object({
                enabledCapabilities: Type.Optional(Type.Array(Type.String())),
                linkStatus: Type.Optional(Type.String()),
                mac: Type.Optional(Type.String()),
                mtu: Type.Optional(int32()),
                portID: Type.Optional(Type.String()),
                speedMbps: Type.Optional(int32()),
              }),
            ),
          ),
          serialNumber: Type.Optional(Type.String()),
          vendor: Type.Optional(Type.String()),
        }),
      ),
      serialNumber: Type.Optional(Type.String()),
      status: Type.Optional(
        Type.Object({
          health: Type.Optional(Type.String()),
          postCode: Type.Optional(int32()),
          postCodeStatus: Type.Optional(Type.String()),
          state: Type.Optional(Type.String()),
        }),
      ),
      vendor: Type.Optional(Type.String()),
    }),
  ),
  chassis: Type.Optional(
    Type.Object({
      model: Type.Optional(Type.String()),
      serialNumber: Type.Optional(Type.String()),
      vendor: Type.Optional(Type.String()),
    }),
  ),
  collectionMethod: Type.Optional(Type.String()),
  cpu: Type.Optional(
    Type.Object({
      sockets: Type.Optional(
        Type.Array(
          Type.Object({
            capabilities: Type.Optional(Type.Array(Type.String())),
            clockSpeedMHz: Type.Optional(int32()),
            cores: Type.Optional(int32()),
            firmwareVersion: Type.Optional(Type.String()),
            model: Type.Optional(Type.String()),
            serialNumber: Type.Optional(Type.String()),
            slot: Type.Optional(Type.String()),
            threads: Type.Optional(int32()),
            vendor: Type.Optional(Type.String()),
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
        class: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
        driver: Type.Optional(Type.String()),
        firmwareVersion: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        serialNumber: Type.Optional(Type.String()),
        status: Type.Optional(
          Type.Object({
            health: Type.Optional(Type.String()),
            postCode: Type.Optional(int32()),
            postCodeStatus: Type.Optional(Type.String()),
            state: Type.Optional(Type.String()),
          }),
        ),
        vendor: Type.Optional(Type.String()),
      }),
    ),
  ),
  lastUpdated: Type.Optional(dateTime()),
  memory: Type.Optional(
    Type.Object({
      modules: Type.Optional(
        Type.Array(
          Type.Object({
            firmwareVersion: Type.Optional(Type.String()),
            formFactor: Type.Optional(Type.String()),
            model: Type.Optional(Type.String()),
            partNumber: Type.Optional(Type.String()),
            serialNumber: Type.Optional(Type.String()),
            sizeBytes: Type.Optional(int64()),
            slot: Type.Optional(Type.String()),
            speedMHz: Type.Optional(int32()),
            vendor: Type.Optional(Type.String()),
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
        firmwareVersion: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
        ports: Type.Optional(
          Type.Array(
            Type.Object({
              enabledCapabilities: Type.Optional(Type.Array(Type.String())),
              linkStatus: Type.Optional(Type.String()),
              mac: Type.Optional(Type.String()),
              mtu: Type.Optional(int32()),
              portID: Type.Optional(Type.String()),
              speedMbps: Type.Optional(int32()),
            }),
          ),
        ),
        serialNumber: Type.Optional(Type.String()),
        vendor: Type.Optional(Type.String()),
      }),
    ),
  ),
  pciDevices: Type.Optional(
    Type.Array(
      Type.Object({
        class: Type.Optional(Type.String()),
        driver: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        vendor: Type.Optional(Type.String()),
      }),
    ),
  ),
  product: Type.Optional(
    Type.Object({
      model: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      serialNumber: Type.Optional(Type.String()),
      status: Type.Optional(
        Type.Object({
          health: Type.Optional(Type.String()),
          postCode: Type.Optional(int32()),
          postCodeStatus: Type.Optional(Type.String()),
          state: Type.Optional(Type.String()),
        }),
      ),
      vendor: Type.Optional(Type.String()),
    }),
  ),
  psus: Type.Optional(
    Type.Array(
      Type.Object({
        description: Type.Optional(Type.String()),
        firmwareVersion: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        powerCapacityWatts: Type.Optional(int64()),
        serialNumber: Type.Optional(Type.String()),
        status: Type.Optional(
          Type.Object({
            health: Type.Optional(Type.String()),
            postCode: Type.Optional(int32()),
            postCodeStatus: Type.Optional(Type.String()),
            state: Type.Optional(Type.String()),
          }),
        ),
        vendor: Type.Optional(Type.String()),
      }),
    ),
  ),
  storageControllers: Type.Optional(
    Type.Array(
      Type.Object({
        description: Type.Optional(Type.String()),
        firmwareVersion: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        serialNumber: Type.Optional(Type.String()),
        status: Type.Optional(
          Type.Object({
            health: Type.Optional(Type.String()),
            postCode: Type.Optional(int32()),
            postCodeStatus: Type.Optional(Type.String()),
            state: Type.Optional(Type.String()),
          }),
        ),
        vendor: Type.Optional(Type.String()),
      }),
    ),
  ),
  tpms: Type.Optional(
    Type.Array(
      Type.Object({
        firmwareVersion: Type.Optional(Type.String()),
        interfaceType: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        serialNumber: Type.Optional(Type.String()),
        status: Type.Optional(
          Type.Object({
            health: Type.Optional(Type.String()),
            postCode: Type.Optional(int32()),
            postCodeStatus: Type.Optional(Type.String()),
            state: Type.Optional(Type.String()),
          }),
        ),
        vendor: Type.Optional(Type.String()),
      }),
    ),
  ),
});
export type OutOfBandAttributes = Static<typeof OutOfBandAttributes>;
