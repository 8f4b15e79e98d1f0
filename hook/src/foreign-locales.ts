/**
 * Removes from Node's executable what its library of languages (ICU) knows of languages other than English. Nobody reads them in the in-memory OS, and
 * they are 4 MB of what every machine downloads. ICU uses its root data for a language that it does not have.
 */

/** The data of ICU is one object of the executable, named after its version. */
const DATA_SYMBOL = /^icudt\d+_dat$/;
/** A package of ICU: the size of its head, then two bytes that mark it (`udata.h`, UDataInfo). */
const PACKAGE_MARK = 0x27da;
/** The data of one language: `icudt78l/curr/de.res`, `icudt78l/zh_Hant_TW.res`. */
const OF_LANGUAGE = /^icudt\d+[lb]\/(?:\w+\/)?([a-z]{2,3}(?:_[A-Za-z0-9]+)*)\.res$/;
const ENGLISH = /^en(?:_US|_US_POSIX|_001)?$/;

/** ELF-64, little-endian: offsets within a head of the file, of a section and of a symbol (`elf.h`). */
const FILE = { sectionsAt: 0x28, sections: 0x3c };
const SECTION = { bytes: 64, type: 4, address: 16, offset: 24, size: 32, link: 40 };
const SYMBOL = { bytes: 24, value: 8, size: 16 };
const SYMBOL_TABLES = [2, 11];

interface Part {
  readonly offset: number;
  readonly size: number;
}

interface Section extends Part {
  readonly type: number;
  readonly address: number;
  readonly link: number;
}

/** Overwrites the data of other languages with zeros, which take no space when compressed. Returns how many bytes. */
export function blankLocales(executable: Uint8Array): number {
  const view = new DataView(executable.buffer, executable.byteOffset, executable.byteLength);
  const data = localeData(view);
  if (data === undefined) return 0;
  let blanked = 0;
  for (const { name, offset, size } of itemsOf(view, data)) {
    const language = OF_LANGUAGE.exec(name)?.[1];
    if (language === undefined || ENGLISH.test(language)) continue;
    executable.fill(0, offset, offset + size);
    blanked += size;
  }
  return blanked;
}

function localeData(view: DataView): Part | undefined {
  const sections = sectionsOf(view);
  for (const table of sections.filter(({ type }) => SYMBOL_TABLES.includes(type))) {
    const names = sections[table.link];
    if (names === undefined) continue;
    for (let at = table.offset; at < table.offset + table.size; at += SYMBOL.bytes) {
      if (!DATA_SYMBOL.test(textAt(view, names.offset + view.getUint32(at, true)))) continue;
      const address = numberAt(view, at + SYMBOL.value);
      const home = sections.find((one) => one.address <= address && address < one.address + one.size);
      if (home !== undefined)
        return { offset: address - home.address + home.offset, size: numberAt(view, at + SYMBOL.size) };
    }
  }
  return undefined;
}

function sectionsOf(view: DataView): readonly Section[] {
  const first = numberAt(view, FILE.sectionsAt);
  return Array.from({ length: view.getUint16(FILE.sections, true) }, (_, index) => {
    const at = first + index * SECTION.bytes;
    return {
      type: view.getUint32(at + SECTION.type, true),
      address: numberAt(view, at + SECTION.address),
      offset: numberAt(view, at + SECTION.offset),
      size: numberAt(view, at + SECTION.size),
      link: view.getUint32(at + SECTION.link, true),
    };
  });
}

/** The contents follow a table of their names and places, both relative to the table, in the order of the places. */
function itemsOf(view: DataView, data: Part): readonly (Part & { readonly name: string })[] {
  if (view.getUint16(data.offset + 2, true) !== PACKAGE_MARK)
    throw new Error('the data of ICU in this Node has another format than that of ICU 78');
  const table = data.offset + view.getUint16(data.offset, true);
  const entries = Array.from({ length: view.getUint32(table, true) }, (_, index) => {
    const at = table + 4 + index * 8;
    return {
      name: textAt(view, table + view.getUint32(at, true)),
      offset: table + view.getUint32(at + 4, true),
    };
  });
  const end = data.offset + data.size;
  return entries.map((entry, index) => ({
    ...entry,
    size: (entries[index + 1]?.offset ?? end) - entry.offset,
  }));
}

function textAt(view: DataView, at: number): string {
  let text = '';
  for (let index = at; view.getUint8(index) !== 0; index += 1)
    text += String.fromCharCode(view.getUint8(index));
  return text;
}

function numberAt(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}
