import { defaultTftpCaps, type BootConfig } from '@tinkerbell/service-boot';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { ipv4 } from '@tinkerbell/wire';
import { HTTP_URL, SERVER_ADDRESS } from './addresses.ts';

/** As a server with one network interface and no further flags. */
export function bootConfig(): BootConfig {
  const server = ipv4(SERVER_ADDRESS);
  return {
    netboot: {
      mode: 'reservation',
      serverAddress: server,
      netbootOptionsEnabled: true,
      tftp: { address: server, port: 69 },
      httpBinary: { url: `${HTTP_URL}/ipxe/binary/`, address: server },
      scriptUrl: `${HTTP_URL}/ipxe/script/auto.ipxe`,
      scriptUrlHasMac: true,
      macFormat: 'colon',
      architectureOverrides: new Map(),
      chainloading: 'when-needed',
      bootLocalWhenIdle: true,
    },
    hook: {
      osieUrl: `${HTTP_URL}/hook`,
      grpcAuthority: `${SERVER_ADDRESS}:42113`,
      tls: false,
      insecureTls: false,
      extraKernelArguments: [],
      retries: 1,
      retryDelaySeconds: 1,
    },
    dhcp: { networkInterfaces: ['net0'], address: '0.0.0.0', port: 67 },
    tftp: {
      address: '0.0.0.0',
      port: 69,
      singlePort: false,
      limits: defaultTransferLimits,
      ...defaultTftpCaps,
    },
    ipxeDirectory: '/ipxe',
    trustedProxies: [],
    ipxePatch: '',
    routes: { binary: true, script: true },
  };
}
