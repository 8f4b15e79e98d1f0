import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { bundleAction } from '../agent-bundle.ts';
import { architectureOf, type ArchitectureName } from '../architecture.ts';
import { actionImage } from './action-image.ts';
import type { BuiltImage } from './built-image.ts';
import { actionLayers } from './action-layers.ts';
import { ACTION_RECIPES, type ActionRecipe } from './action-recipes.ts';
import { writeLayout } from './oci-layout.ts';

export interface ActionImagesOptions {
  readonly outputDirectory: string;
  readonly cacheDirectory: string;
  readonly architectures: readonly ArchitectureName[];
  /** The recipes to build. Absent: all. */
  readonly recipes?: readonly ActionRecipe[];
  readonly onProgress: (line: string) => void;
}

/**
 * Writes an OCI layout with one image for each recipe to the output directory. The same sources, packages and Node give
 * the same digests.
 */
export async function buildActionImages(options: ActionImagesOptions): Promise<readonly BuiltImage[]> {
  const { outputDirectory, cacheDirectory, recipes = ACTION_RECIPES, onProgress } = options;
  const bundle = await bundleAction();
  const workDirectory = await mkdtemp(join(tmpdir(), 'action-images-'));
  try {
    const variants = await Promise.all(
      options.architectures.map(async (name) => {
        const architecture = architectureOf(name);
        const place = { architecture, cacheDirectory, bundle, onProgress };
        return {
          architecture,
          layersOf: await actionLayers({ ...place, workDirectory: join(workDirectory, name) }),
        };
      }),
    );
    const images: BuiltImage[] = [];
    for (const recipe of recipes) {
      const fitting = variants.filter(({ architecture }) => recipe.architectures.includes(architecture.name));
      if (fitting.length === 0) {
        onProgress(`${recipe.name}: left out, because it is for ${recipe.architectures.join(', ')} only`);
        continue;
      }
      const layers = fitting.map(async ({ architecture, layersOf }) => ({
        architecture,
        layers: await layersOf(recipe),
      }));
      images.push(actionImage(recipe, await Promise.all(layers)));
    }
    await writeLayout(outputDirectory, images);
    return images;
  } finally {
    await rm(workDirectory, { recursive: true, force: true });
  }
}
