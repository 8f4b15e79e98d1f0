import { line, word, words, type ScriptLine } from '@tinkerbell/ipxe';
import { loadingLines, syslogLines } from './kernel-loading.ts';
import type { HookScriptSettings } from '../settings.ts';

/**
 * Returns the script that loads the in-memory OS on a machine that no Hardware describes. iPXE itself fills in architecture and
 * MAC. Lines and arguments are the same as upstream's (smee/internal/ipxe/script, the static script), with one more argument
 * where upstream's agent could not connect: `tinkerbell_insecure_tls`, when certificates are not verified.
 */
export function staticScript(settings: HookScriptSettings): readonly ScriptLine[] {
  return [
    ...syslogLines(settings.syslogHost),
    line``,
    line`echo Loading the static Tinkerbell iPXE script...`,
    line``,
    // Maps iPXE's names of architectures to those of the kernel and initrd files.
    line`set arch \${buildarch}`,
    line`iseq \${arch} i386 && set arch x86_64 ||`,
    line`iseq \${arch} arm32 && set arch aarch64 ||`,
    line`iseq \${arch} arm64 && set arch aarch64 ||`,
    line`set download-url ${word('osie url', settings.osieUrl)}`,
    line`set kernel ${word('kernel name', settings.kernelName ?? 'vmlinuz')}-\${arch}`,
    line`set initrd ${word('initrd name', settings.initrdName ?? 'initramfs')}-\${arch}`,
    line`set retries:int32 ${word('retries', `${settings.retries}`)}`,
    line`set retry_delay:int32 ${word('retry delay', `${settings.retryDelaySeconds}`)}`,
    line``,
    line`set worker_id \${mac}`,
    line`set grpc_authority ${word('grpc authority', settings.grpcAuthority)}`,
    line`set syslog_host ${word('syslog host', settings.syslogHost ?? '')}`,
    line`set tinkerbell_tls ${word('tls', `${settings.tls}`)}`,
    line``,
    line`echo worker_id=\${worker_id}`,
    line`echo grpc_authority=\${grpc_authority}`,
    line`echo syslog_host=\${syslog_host}`,
    line`echo tinkerbell_tls=\${tinkerbell_tls}`,
    line``,
    ...loadingLines(kernelCommand(settings)),
  ];
}

function kernelCommand(settings: HookScriptSettings): readonly ScriptLine[] {
  return [
    line`kernel \${download-url}/\${kernel}`,
    line`syslog_host=\${syslog_host}`,
    line`grpc_authority=\${grpc_authority}`,
    line`tinkerbell_tls=\${tinkerbell_tls}`,
    ...(settings.insecureTls ? [line`tinkerbell_insecure_tls=true`] : []),
    ...(settings.namesHookUrl === true ? [line`hook_url=\${download-url}`] : []),
    ...(settings.registryMirrors === undefined
      ? []
      : [line`registry_mirrors=${word('registry mirrors', settings.registryMirrors)}`]),
    line`worker_id=\${worker_id}`,
    line`hw_addr=\${mac}`,
    // The console of the machine is unknown.
    line`console=tty1`,
    line`console=tty2`,
    line`console=ttyAMA0,115200`,
    line`console=ttyAMA1,115200`,
    line`console=ttyS0,115200`,
    line`console=ttyS1,115200`,
    line`intel_iommu=on`,
    line`iommu=pt`,
    ...settings.extraKernelArguments.map(
      (each, index) => line`${words(`extra kernel arguments[${index}]`, each)}`,
    ),
    line`initrd=\${initrd}`,
  ];
}
