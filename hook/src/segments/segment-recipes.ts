/**
 * The segments: what actions need besides the first stage, as files that the in-memory OS downloads when an
 * action asks for them.
 */
import type { Architecture, ArchitectureName } from '../architecture.ts';

export interface SegmentRecipe {
  readonly name: string;
  /** Debian packages with the programs and files below. */
  readonly packages: readonly string[];
  /**
   * Debian packages with the libraries of these programs, and the libraries of those. The build fails when one
   * is missing.
   */
  readonly libraryPackages: readonly string[];
  /** Paths in the packages. */
  readonly programs: readonly string[];
  /** Other files, at the same path. */
  readonly files: readonly string[];
  /** True for programs that convert names of FAT. glibc loads its tables. */
  readonly hasCodePages?: true;
  /** More names of a program, in its directory. */
  readonly links: Readonly<Record<string, string>>;
  readonly architectures: readonly ArchitectureName[];
}

const BOTH: readonly ArchitectureName[] = ['x86_64', 'aarch64'];

const containers: SegmentRecipe = {
  name: 'containers',
  packages: ['crun'],
  libraryPackages: words(
    'libcap2 libgcrypt20 libgpg-error0 liblz4-1 liblzma5 libseccomp2 libsystemd0 libyajl2 libzstd1',
  ),
  programs: ['usr/bin/crun'],
  files: [],
  links: {},
  architectures: BOTH,
};

const fileSystems: SegmentRecipe = {
  name: 'filesystems',
  packages: ['dosfstools', 'e2fsprogs', 'libc6', 'xfsprogs'],
  libraryPackages: words('libblkid1 libcom-err2 libext2fs2 libinih1 liburcu8 libuuid1'),
  programs: ['sbin/mke2fs', 'sbin/mkfs.fat', 'sbin/mkfs.xfs'],
  files: ['etc/mke2fs.conf'],
  hasCodePages: true,
  links: { 'mkfs.ext2': 'mke2fs', 'mkfs.ext3': 'mke2fs', 'mkfs.ext4': 'mke2fs', 'mkfs.vfat': 'mkfs.fat' },
  architectures: BOTH,
};

/** syslinux starts mtools under its other names, and mtools refuses to work without code pages. */
const boot: SegmentRecipe = {
  name: 'boot',
  packages: ['libc6', 'mtools', 'syslinux', 'syslinux-common'],
  libraryPackages: [],
  programs: ['usr/bin/mtools', 'usr/bin/syslinux'],
  files: ['usr/lib/syslinux/mbr/mbr.bin'],
  hasCodePages: true,
  links: { mattrib: 'mtools', mcopy: 'mtools', mdel: 'mtools', mmove: 'mtools' },
  architectures: ['x86_64'],
};

const images: SegmentRecipe = {
  name: 'images',
  packages: ['qemu-utils'],
  libraryPackages: words(
    'libaio1 libffi8 libglib2.0-0 libgmp10 libgnutls30 libhogweed6 libidn2-0 libnettle8 libnuma1 libp11-kit0 ' +
      'libpcre2-8-0 libtasn1-6 libunistring2 liburing2 libzstd1 zlib1g',
  ),
  programs: ['usr/bin/qemu-img'],
  files: [],
  links: {},
  architectures: BOTH,
};

const ALL = [containers, fileSystems, boot, images];

const CODE_PAGES = ['IBM850.so', 'gconv-modules', 'gconv-modules.d/gconv-modules-extra.conf'];

export function segmentRecipesFor({ name, debianTriplet }: Architecture): readonly SegmentRecipe[] {
  const codePages = CODE_PAGES.map((file) => `usr/lib/${debianTriplet}/gconv/${file}`);
  return ALL.filter(({ architectures }) => architectures.includes(name)).map((recipe) =>
    recipe.hasCodePages === true ? { ...recipe, files: [...recipe.files, ...codePages] } : recipe,
  );
}

function words(text: string): readonly string[] {
  return text.split(' ');
}
