const EMPTY = 0;
const WORDS_PER_ID = 4;
const DIGITS_PER_WORD = 8;
const ID_LENGTH = 36;
/** Where the hyphens of a UUID are. */
const HYPHENS = [8, 13, 18, 23];
const HYPHEN = 45;

/** Where the 32 digits of a UUID are. */
const DIGIT_PLACES = Uint8Array.from(
  Array.from({ length: ID_LENGTH }, (_, place) => place).filter((place) => !HYPHENS.includes(place)),
);
const DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));

/**
 * Maps tasks to the rows of a table, and back: UUIDs as four words each, found by a hash table with linear probing. A
 * million ids as strings in a Map take over 100 bytes each, and the garbage collector visits them all; these take 24
 * (16 for the id, 8 for its place in the hash table at the most rows), and it visits none.
 *
 * Invariant: between the cell where the search for an id begins and the cell where it is, no cell is empty. Cost:
 * `find`, `add` and `remove` O(1) on average, since ids end in random bits and half of the cells stay empty.
 */
export class TaskIdTable {
  private readonly words: Int32Array;
  /** Row + 1, or EMPTY. */
  private readonly cells: Int32Array;
  private readonly mask: number;
  private readonly sought = new Int32Array(WORDS_PER_ID);
  private readonly text = Buffer.alloc(ID_LENGTH, HYPHEN);

  /** @param rows how many ids there can be at one time; memory is reserved for all, but used only as rows are */
  constructor(rows: number) {
    const cellCount = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * rows)));
    this.words = new Int32Array(WORDS_PER_ID * rows);
    this.cells = new Int32Array(cellCount);
    this.mask = cellCount - 1;
  }

  /** Bytes of a row. */
  readonly bytesPerRow = WORDS_PER_ID * Int32Array.BYTES_PER_ELEMENT;

  /** Bytes beside the rows. */
  get hashBytes(): number {
    return this.cells.byteLength;
  }

  /** The row of an id, or -1. Letters may be of either case. */
  find(id: string): number {
    this.parse(id);
    return this.cells[this.cellOf(this.sought)]! - 1;
  }

  /** Gives a row that has no id the id that `find` has just not found. */
  addSought(row: number): void {
    this.words.set(this.sought, WORDS_PER_ID * row);
    this.cells[this.cellOf(this.sought)] = row + 1;
  }

  /** Takes the id of a row away. */
  remove(row: number): void {
    let gap = this.cellOfRow(row);
    this.cells[gap] = EMPTY;
    // An id that was put behind the gap, because the gap was taken, would not be found any more: it moves into the gap.
    for (let cell = this.after(gap); this.cells[cell] !== EMPTY; cell = this.after(cell)) {
      const begin = this.hashOf(this.words, WORDS_PER_ID * (this.cells[cell]! - 1));
      if (((cell - begin) & this.mask) < ((cell - gap) & this.mask)) continue;
      this.cells[gap] = this.cells[cell]!;
      this.cells[cell] = EMPTY;
      gap = cell;
    }
  }

  /** The id of a row, in small letters. */
  idOf(row: number): string {
    const { text, words } = this;
    for (let digit = 0; digit < DIGIT_PLACES.length; digit++) {
      const word = words[WORDS_PER_ID * row + Math.floor(digit / DIGITS_PER_WORD)]!;
      const shift = 4 * (DIGITS_PER_WORD - 1 - (digit % DIGITS_PER_WORD));
      text[DIGIT_PLACES[digit]!] = DIGITS[(word >>> shift) & 15]!;
    }
    return text.toString("latin1");
  }

  /** The slot in the id of a row: {@link newTaskId} puts it into the last 12 bits of the second word. */
  slotOf(row: number): number {
    return this.words[WORDS_PER_ID * row + 1]! & 0xfff;
  }

  /** To `sought`. */
  private parse(id: string): void {
    for (let word = 0; word < WORDS_PER_ID; word++) {
      let bits = 0;
      for (let digit = word * DIGITS_PER_WORD; digit < (word + 1) * DIGITS_PER_WORD; digit++) {
        bits = (bits << 4) | valueOf(id.charCodeAt(DIGIT_PLACES[digit]!));
      }
      this.sought[word] = bits;
    }
  }

  /** The cell that holds an id, or the empty one where it belongs. */
  private cellOf(id: Int32Array): number {
    let cell = this.hashOf(id, 0);
    while (this.cells[cell] !== EMPTY && !this.isIdOf(this.cells[cell]! - 1, id)) cell = this.after(cell);
    return cell;
  }

  private cellOfRow(row: number): number {
    let cell = this.hashOf(this.words, WORDS_PER_ID * row);
    while (this.cells[cell] !== row + 1) cell = this.after(cell);
    return cell;
  }

  private after(cell: number): number {
    return (cell + 1) & this.mask;
  }

  private isIdOf(row: number, id: Int32Array): boolean {
    const { words } = this;
    const at = WORDS_PER_ID * row;
    return words[at + 3] === id[3] && words[at + 2] === id[2] && words[at + 1] === id[1] && words[at] === id[0];
  }

  /**
   * All words count, since an id may have been made by another program; the multipliers are those of MurmurHash3's
   * finalizer.
   */
  private hashOf(words: Int32Array, at: number): number {
    let hash =
      words[at]! ^ Math.imul(words[at + 1]!, 0x85ebca6b) ^ words[at + 2]! ^ Math.imul(words[at + 3]!, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) & this.mask;
  }
}

/** The value of a hexadecimal digit. */
function valueOf(code: number): number {
  return code <= 57 ? code - 48 : (code | 32) - 87;
}
