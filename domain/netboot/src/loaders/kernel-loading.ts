import { continued, line, word, type ScriptLine } from '@tinkerbell/ipxe';

/** The common part of all scripts that load the in-memory OS, as upstream generates it (smee/internal/ipxe/script). */

/** Sends iPXE's own log to the host. */
export function syslogLines(host: string | undefined): readonly ScriptLine[] {
  if (host === undefined || host === '') return [];
  const value = word('syslog host', host);
  return [
    line`# iPXE sends its log to an IP address only: a host name is resolved first,`,
    line`# and a name that cannot be resolved leaves the log on the console.`,
    line`set check:ipv4 ${value} && set syslog ${value} || nslookup syslog ${value} || echo [WARN] Failed to resolve syslog host ${value}`,
    line`clear check`,
  ];
}

/**
 * Loads kernel and initrd, each with up to `${retries}` tries, and boots them. The command is the kernel's with its arguments. It
 * uses `${download-url}`, `${kernel}`, `${initrd}` and `${retry_delay}`.
 */
export function loadingLines(kernelCommand: readonly ScriptLine[]): readonly ScriptLine[] {
  return [
    line`set idx:int32 0`,
    line`:retry_kernel`,
    ...continued([
      ...kernelCommand,
      line`&& goto download_initrd || iseq \${idx} \${retries} && goto kernel-error || inc idx && echo retry in \${retry_delay} seconds ; sleep \${retry_delay} ; goto retry_kernel`,
    ]),
    line``,
    line`:download_initrd`,
    line`set idx:int32 0`,
    line`:retry_initrd`,
    line`initrd \${download-url}/\${initrd} && goto boot || iseq \${idx} \${retries} && goto initrd-error || inc idx && echo retry in \${retry_delay} seconds ; sleep \${retry_delay} ; goto retry_initrd`,
    line``,
    line`:boot`,
    line`set idx:int32 0`,
    line`:retry_boot`,
    line`boot || iseq \${idx} \${retries} && goto boot-error || inc idx && echo retry in \${retry_delay} seconds ; sleep \${retry_delay} ; goto retry_boot`,
    ...failureLines,
  ];
}

const failureLines: readonly ScriptLine[] = [
  line``,
  line`:kernel-error`,
  line`echo Failed to load kernel`,
  line`imgfree`,
  line`exit`,
  line``,
  line`:initrd-error`,
  line`echo Failed to load initrd`,
  line`imgfree`,
  line`exit`,
  line``,
  line`:boot-error`,
  line`echo Failed to boot`,
  line`imgfree`,
  line`exit`,
];
