import type { IconName } from '../shell/pages.ts';

/** Strokes on a grid of 20 units. */
const strokes: Readonly<Record<IconName, string>> = {
  overview: 'M3 11h5V3H3zM12 17h5V9h-5zM3 17h5v-3H3zM12 6h5V3h-5z',
  machines: 'M3 4h14v5H3zM3 11h14v5H3zM6 6.500h.01M6 13.500h.01M9 6.500h5M9 13.500h5',
  workflows: 'M5 3v14M5 5h9l-2 2.500 2 2.500H5M5 17h8',
  templates: 'M5 2.500h7l3 3v12H5zM12 2.500v3h3M7.500 9.500h5M7.500 12.500h5',
  add: 'M10 4v12M4 10h12',
  images: 'M10 2.500 17 6l-7 3.500L3 6zM3 10l7 3.500 7-3.500M3 14l7 3.500 7-3.500',
  network: 'M8 3h4v4H8zM3 13h4v4H3zM13 13h4v4h-4zM10 7v3M5 13v-3h10v3',
  bmcs: 'M6 6h8v8H6zM8 3v3M12 3v3M8 14v3M12 14v3M3 8h3M3 12h3M14 8h3M14 12h3',
  access: 'M8 11.500a3.500 3.500 0 1 1 2.900-1.500L17 16v2h-2.500v-2H12.500v-2z',
  audit: 'M10 5v5l3 2M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  server: 'M3 13h3l2-7 4 10 2-6h3',
  search: 'M14.500 14.500 18 18M16 9A7 7 0 1 1 2 9a7 7 0 0 1 14 0z',
  menu: 'M3 5h14M3 10h14M3 15h14',
  theme: 'M17 11.500A7 7 0 1 1 8.500 3a5.500 5.500 0 0 0 8.500 8.500z',
  leave: 'M8 3H4v14h4M8 10h9M14 7l3 3-3 3',
};

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={strokes[name]} />
    </svg>
  );
}
