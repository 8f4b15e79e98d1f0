import { Type, type Static } from '../schema.ts';
import { int64 } from '../schema-builders.ts';

export const Storage = Type.Object({
  disks: Type.Optional(
    Type.Array(
      Type.Object({
        device: Type.Optional(Type.String()),
        partitions: Type.Optional(
          Type.Array(
            Type.Object({
              label: Type.Optional(Type.String()),
              number: Type.Optional(int64()),
              size: Type.Optional(int64()),
              start: Type.Optional(int64()),
              type_guid: Type.Optional(Type.String()),
            }),
          ),
        ),
        wipe_table: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  filesystems: Type.Optional(
    Type.Array(
      Type.Object({
        mount: Type.Optional(
          Type.Object({
            create: Type.Optional(
              Type.Object({
                force: Type.Optional(Type.Boolean()),
                options: Type.Optional(Type.Array(Type.String())),
              }),
            ),
            device: Type.Optional(Type.String()),
            files: Type.Optional(
              Type.Array(
                Type.Object({
                  contents: Type.Optional(Type.String()),
                  gid: Type.Optional(int64()),
                  mode: Type.Optional(int64()),
                  path: Type.Optional(Type.String()),
                  uid: Type.Optional(int64()),
                }),
              ),
            ),
            format: Type.Optional(Type.String()),
            point: Type.Optional(Type.String()),
          }),
        ),
      }),
    ),
  ),
  raid: Type.Optional(
    Type.Array(
      Type.Object({
        devices: Type.Optional(Type.Array(Type.String())),
        level: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
        spare: Type.Optional(int64()),
      }),
    ),
  ),
});
export type Storage = Static<typeof Storage>;
