/** The oldest and the newest kubectl that the tests run. */
import { withCacheLock } from '@tinkerbell/hook';
import { goClients } from './go-clients.ts';
import { installedKubectl, kubectlCache } from './installed-kubectl.ts';

export interface KubectlClient {
  readonly name: string;
  readonly path: string;
  /** The reason why it is unavailable. */
  readonly skip: string | false;
}

export async function kubectlClients(): Promise<readonly KubectlClient[]> {
  const path = await withCacheLock(kubectlCache, installedKubectl);
  const newest = await goClients();
  return [
    { name: "Debian's kubectl 1.20", path, skip: false },
    {
      name: 'the newest kubectl',
      path: newest.skip === false ? newest.path('kubectl') : '',
      skip: newest.skip,
    },
  ];
}
