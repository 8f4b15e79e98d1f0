import { mediaTypes, type Descriptor, type ImageManifest } from '@tinkerbell/oci';

/** OCI image specification v1.1, "Pre-Defined Annotation Keys". oras sets it to the name of the file. */
const TITLE = 'org.opencontainers.image.title';
/** Layers that an error names. */
const SHOWN_MAX = 10;

export type LayerChoice =
  | { readonly ok: true; readonly layer: Descriptor; readonly title: string }
  | { readonly ok: false; readonly error: string };

/**
 * Chooses the layer that is the disk image: upstream's oci2disk writes every layer of this media type that
 * has a title. Two of them would overwrite each other, and are therefore an error.
 */
export function chooseLayer({ layers }: Pick<ImageManifest, 'layers'>): LayerChoice {
  const found = layers.flatMap((layer) => {
    const title = layer.annotations[TITLE] ?? '';
    return layer.mediaType === mediaTypes.layer && title !== '' ? [{ layer, title }] : [];
  });
  const [first, ...others] = found;
  if (first === undefined)
    return {
      ok: false,
      error: `it has no layer of the type ${mediaTypes.layer} with the annotation ${TITLE}; it has ${shown(layers)}. Push the disk image with oras`,
    };
  if (others.length > 0) {
    const titles = found.map(({ title }) => JSON.stringify(title.slice(0, 100)));
    return {
      ok: false,
      error: `it has ${found.length} disk images: ${titles.slice(0, SHOWN_MAX).join(', ')}. Push only one`,
    };
  }
  return { ok: true, ...first };
}

function shown(layers: readonly Descriptor[]): string {
  if (layers.length === 0) return 'no layers';
  return layers
    .slice(0, SHOWN_MAX)
    .map(({ mediaType, annotations }) => {
      const title = annotations[TITLE];
      return `${mediaType.slice(0, 100)} ${title === undefined ? 'without title' : JSON.stringify(title.slice(0, 100))}`;
    })
    .join(', ');
}
