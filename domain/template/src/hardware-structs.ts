import {
  BOOL,
  type GoType,
  INT64,
  pointerTo,
  sliceOf,
  STRING,
  STRING_SLICE,
  type StructType,
} from '@tinkerbell/go-template';

/**
 * The Go structs that templates see under `.Hardware`, with upstream's field order, JSON tags and pointers
 * (api/v1alpha1/tinkerbell/hardware.go). Which fields may be nil decides which templates fail.
 */

type FieldSpec = readonly [goName: string, jsonName: string, type: GoType];

const netbootIpxe = struct('IPXE', [
  ['URL', 'url', STRING],
  ['Contents', 'contents', STRING],
  ['Binary', 'binary', STRING],
]);
const osie = struct('OSIE', [
  ['BaseURL', 'baseURL', STRING],
  ['Kernel', 'kernel', STRING],
  ['Initrd', 'initrd', STRING],
  ['KernelParams', 'kernelParams', STRING_SLICE],
]);
const pxelinux = struct('PXELINUX', [['Config', 'config', STRING]]);
const rpi = struct(
  'RPI',
  [
    ['ConfigTxt', 'configTxt', STRING],
    ['FirmwarePath', 'firmwarePath', STRING],
    ['SerialNum', 'serialNum', STRING],
  ],
  ['SerialNum'],
);
const netboot = struct('Netboot', [
  ['AllowPXE', 'allowPXE', pointerTo(BOOL)],
  ['AllowWorkflow', 'allowWorkflow', pointerTo(BOOL)],
  ['IPXE', 'ipxe', pointerTo(netbootIpxe)],
  ['OSIE', 'osie', pointerTo(osie)],
  ['PXELINUX', 'pxelinux', pointerTo(pxelinux)],
  ['RPI', 'rpi', pointerTo(rpi)],
]);
const isoboot = struct('Isoboot', [['SourceISO', 'sourceISO', STRING]]);
const ip = struct('IP', [
  ['Address', 'address', STRING],
  ['Netmask', 'netmask', STRING],
  ['Gateway', 'gateway', STRING],
  ['Family', 'family', INT64],
]);
const staticRoute = struct(
  'ClasslessStaticRoute',
  [
    ['DestinationDescriptor', 'destination_descriptor', STRING],
    ['Router', 'router', STRING],
  ],
  ['DestinationDescriptor', 'Router'],
);
const dhcp = struct('DHCP', [
  ['MAC', 'mac', STRING],
  ['Hostname', 'hostname', STRING],
  ['DomainName', 'domain_name', STRING],
  ['LeaseTime', 'lease_time', INT64],
  ['NameServers', 'name_servers', STRING_SLICE],
  ['TimeServers', 'time_servers', STRING_SLICE],
  ['Arch', 'arch', STRING],
  ['UEFI', 'uefi', BOOL],
  ['IfaceName', 'iface_name', STRING],
  ['IP', 'ip', pointerTo(ip)],
  ['VLANID', 'vlan_id', STRING],
  ['ClasslessStaticRoutes', 'classless_static_routes', sliceOf(staticRoute)],
  ['TFTPServerName', 'tftp_server_name', STRING],
  ['BootFileName', 'boot_file_name', STRING],
]);
const networkInterface = struct('Interface', [
  ['Netboot', 'netboot', pointerTo(netboot)],
  ['Isoboot', 'isoboot', pointerTo(isoboot)],
  ['DHCP', 'dhcp', pointerTo(dhcp)],
  ['DisableDHCP', 'disableDhcp', BOOL],
]);
const operatingSystem = struct('MetadataInstanceOperatingSystem', [
  ['Slug', 'slug', STRING],
  ['Distro', 'distro', STRING],
  ['Version', 'version', STRING],
  ['ImageTag', 'image_tag', STRING],
  ['OsSlug', 'os_slug', STRING],
]);
const instanceIp = struct('MetadataInstanceIP', [
  ['Address', 'address', STRING],
  ['Netmask', 'netmask', STRING],
  ['Gateway', 'gateway', STRING],
  ['Family', 'family', INT64],
  ['Public', 'public', BOOL],
  ['Management', 'management', BOOL],
]);
const partition = struct('MetadataInstanceStorageDiskPartition', [
  ['Label', 'label', STRING],
  ['Number', 'number', INT64],
  ['Size', 'size', INT64],
  ['Start', 'start', INT64],
  ['TypeGUID', 'type_guid', STRING],
]);
const storageDisk = struct('MetadataInstanceStorageDisk', [
  ['Device', 'device', STRING],
  ['WipeTable', 'wipe_table', BOOL],
  ['Partitions', 'partitions', sliceOf(pointerTo(partition))],
]);
const raid = struct('MetadataInstanceStorageRAID', [
  ['Name', 'name', STRING],
  ['Level', 'level', STRING],
  ['Devices', 'devices', STRING_SLICE],
  ['Spare', 'spare', INT64],
]);
const storageFile = struct('MetadataInstanceStorageFile', [
  ['Path', 'path', STRING],
  ['Contents', 'contents', STRING],
  ['Mode', 'mode', INT64],
  ['UID', 'uid', INT64],
  ['GID', 'gid', INT64],
]);
const filesystemOptions = struct('MetadataInstanceStorageMountFilesystemOptions', [
  ['Force', 'force', BOOL],
  ['Options', 'options', STRING_SLICE],
]);
const storageMount = struct('MetadataInstanceStorageMount', [
  ['Device', 'device', STRING],
  ['Format', 'format', STRING],
  ['Files', 'files', sliceOf(pointerTo(storageFile))],
  ['Create', 'create', pointerTo(filesystemOptions)],
  ['Point', 'point', STRING],
]);
const filesystem = struct('MetadataInstanceStorageFilesystem', [['Mount', 'mount', pointerTo(storageMount)]]);
const storage = struct('MetadataInstanceStorage', [
  ['Disks', 'disks', sliceOf(pointerTo(storageDisk))],
  ['Raid', 'raid', sliceOf(pointerTo(raid))],
  ['Filesystems', 'filesystems', sliceOf(pointerTo(filesystem))],
]);
const instance = struct('MetadataInstance', [
  ['ID', 'id', STRING],
  ['State', 'state', STRING],
  ['Hostname', 'hostname', STRING],
  ['AllowPxe', 'allow_pxe', BOOL],
  ['Rescue', 'rescue', BOOL],
  ['OperatingSystem', 'operating_system', pointerTo(operatingSystem)],
  ['AlwaysPxe', 'always_pxe', BOOL],
  ['IpxeScriptURL', 'ipxe_script_url', STRING],
  ['Ips', 'ips', sliceOf(pointerTo(instanceIp))],
  ['Userdata', 'userdata', STRING],
  ['CryptedRootPassword', 'crypted_root_password', STRING],
  ['Tags', 'tags', STRING_SLICE],
  ['Storage', 'storage', pointerTo(storage)],
  ['SSHKeys', 'ssh_keys', STRING_SLICE],
  ['NetworkReady', 'network_ready', BOOL],
]);
const manufacturer = struct('MetadataManufacturer', [
  ['ID', 'id', STRING],
  ['Slug', 'slug', STRING],
]);
const custom = struct('MetadataCustom', [
  ['PreinstalledOperatingSystemVersion', 'preinstalled_operating_system_version', pointerTo(operatingSystem)],
  ['PrivateSubnets', 'private_subnets', STRING_SLICE],
]);
const facility = struct('MetadataFacility', [
  ['PlanSlug', 'plan_slug', STRING],
  ['PlanVersionSlug', 'plan_version_slug', STRING],
  ['FacilityCode', 'facility_code', STRING],
]);
const metadata = struct('HardwareMetadata', [
  ['State', 'state', STRING],
  ['BondingMode', 'bonding_mode', INT64],
  ['Manufacturer', 'manufacturer', pointerTo(manufacturer)],
  ['Instance', 'instance', pointerTo(instance)],
  ['Custom', 'custom', pointerTo(custom)],
  ['Facility', 'facility', pointerTo(facility)],
]);

/** The structs of a Hardware's spec. */
export const INTERFACES: GoType = sliceOf(networkInterface);
export const METADATA: GoType = metadata;

/** The struct of `.Hardware`. Its own fields have no JSON tags. */
export const TEMPLATE_HARDWARE: StructType = {
  kind: 'struct',
  name: 'workflow.templateHardwareData',
  fields: [
    { name: 'Disks', type: STRING_SLICE },
    { name: 'Interfaces', type: INTERFACES },
    { name: 'UserData', type: STRING },
    { name: 'Metadata', type: metadata },
    { name: 'VendorData', type: STRING },
  ],
};

function struct(name: string, fields: readonly FieldSpec[], required: readonly string[] = []): StructType {
  return {
    kind: 'struct',
    name: `tinkerbell.${name}`,
    fields: fields.map(([goName, jsonName, type]) => ({
      name: goName,
      jsonName,
      type,
      omitEmpty: !required.includes(goName),
    })),
  };
}
