/** The files on the file host of the edge stack, and the name server that leads to it. */
import { EMULATED_KERNEL_ARGUMENTS, serialConsoleArguments, type NetworkHost } from '@tinkerbell/sandbox';

/**
 * Returns a script for every machine, like the edge stack's `boot.ipxe`. The machine itself reports its
 * identity.
 */
export function hookScript({ host, grpc }: { readonly host: string; readonly grpc: string }): string {
  const url = `http://${host}/tink-stack/hook`;
  const own = `grpc_authority=${grpc} tinkerbell_tls=false worker_id=\${mac} hw_addr=\${mac}`;
  const sandbox = [EMULATED_KERNEL_ARGUMENTS, ...serialConsoleArguments('uefi')].join(' ');
  return `#!ipxe
kernel ${url}/vmlinuz-x86_64 ${own} initrd=initramfs-x86_64 ${sandbox}
initrd ${url}/initramfs-x86_64
boot
`;
}

/** Answers for every name of the domain. Runs until `cleanup`. */
export async function startNameServer(
  host: NetworkHost,
  { domain, address }: { readonly domain: string; readonly address: string },
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const quiet = ['--keep-in-foreground', '--conf-file=/dev/null', '--user=root', '--pid-file='];
  const child = await host.start('dnsmasq', [
    ...quiet,
    '--no-resolv',
    '--no-hosts',
    `--address=/${domain}/${address}`,
  ]);
  cleanup.defer(() => child.stop());
  child.process.stdout?.resume();
  child.process.stderr?.resume();
}
