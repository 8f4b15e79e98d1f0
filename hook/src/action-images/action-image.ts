/** The image of one action. */
import { MODIFIED_SECONDS } from '../initramfs-part.ts';
import type { ActionRecipe } from './action-recipes.ts';
import { builtImage, type BuiltImage, type PlatformLayers } from './built-image.ts';

const CREATED = new Date(MODIFIED_SECONDS * 1000).toISOString().replace('.000Z', 'Z');
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns the image of an action. */
export function actionImage(recipe: ActionRecipe, variants: readonly PlatformLayers[]): BuiltImage {
  const program = {
    created: CREATED,
    entrypoint: [
      '/usr/bin/node',
      '--disable-warning=ExperimentalWarning',
      '/usr/lib/tinkerbell/action.mjs',
      recipe.name,
    ],
    environment: [`PATH=${PATH}`],
    labels: {
      'org.opencontainers.image.title': recipe.name,
      'org.opencontainers.image.description': recipe.title,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  };
  return builtImage(recipe.name, program, variants);
}
