import { HttpException, HttpStatus } from "@nestjs/common";
import { endOfValue, type JsonShape, keepSources, shownText, skipSpaces, type Turns } from "@tickwheel/core";
import { throwFaults } from "@tickwheel/calls";
import { type BodyLimits, notJson, parseBounded, withoutMark } from "./request-body.js";

/** The field that holds the items. */
const ITEMS = "tasks";
const SPACES = /^[\t\n\r ]*$/;

export interface BulkRules {
  /** What of an item stays text. */
  shape: JsonShape;
  /** The limits of one item, or of another field. */
  limits: BodyLimits;
  maxItems: number;
  /** What of other fields stays text, by their names. Default: nothing does. */
  others?: Readonly<Record<string, JsonShape>>;
}

/**
 * The value of a bulk call's body, made item by item and in turns: a long text parsed at once would keep the loop for a
 * tenth of a second. It takes what `JSON.parse` takes, but bounds each item as if it were a body of its own.
 *
 * @returns the object; undefined for an empty body
 * @throws HttpException 400 where it is no JSON, or an item is too long, too deep or has too many values
 * @throws TickwheelError `VALIDATION_FAILED` for too many items, as soon as that is known
 */
export async function parseBulk(text: string, rules: BulkRules, turns: Turns): Promise<unknown> {
  const json = withoutMark(text);
  return json === "" ? undefined : new BulkReader(json, rules, turns).read();
}

class BulkReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly rules: BulkRules,
    private readonly turns: Turns,
  ) {}

  async read(): Promise<unknown> {
    if (this.next() !== "{") return this.other();
    const fields = Object.create(null) as Record<string, unknown>;
    this.at++;
    if (!this.takes("}")) {
      do await this.readField(fields);
      while (this.takes(","));
      this.require("}");
    }
    if (this.next() !== undefined) throw notJson();
    return fields;
  }

  private async readField(fields: Record<string, unknown>): Promise<void> {
    if (this.next() !== '"') throw notJson();
    const name = this.value("a field's name") as string;
    this.require(":");
    fields[name] = name === ITEMS && this.next() === "[" ? await this.readItems() : this.readOther(name);
  }

  private readOther(name: string): unknown {
    const { others = {} } = this.rules;
    return this.value(name, Object.hasOwn(others, name) ? others[name] : undefined);
  }

  private async readItems(): Promise<unknown[]> {
    const items: unknown[] = [];
    this.at++;
    if (this.takes("]")) return items;
    do {
      if (this.turns.isOver()) await this.turns.next();
      items.push(this.value(`${ITEMS}[${items.length}]`, this.rules.shape));
      if (items.length > this.rules.maxItems)
        throwFaults([{ path: ITEMS, message: `must be a list of at most ${this.rules.maxItems} tasks` }]);
    } while (this.takes(","));
    this.require("]");
    return items;
  }

  /** The value that comes next, bounded before anything is made of it. */
  private value(name: string, shape?: JsonShape): unknown {
    this.next();
    const window = this.text.slice(this.at, this.at + this.rules.limits.bytes);
    const end = endOfValue(window, 0);
    if (end === window.length && this.at + end < this.text.length)
      throw new HttpException(`${shownText(name)} is longer than ${window.length} characters.`, HttpStatus.BAD_REQUEST);
    const json = window.slice(0, end);
    const value = parseBounded(json, this.rules.limits);
    this.at += end;
    return shape ? keepSources(json, value, shape) : value;
  }

  /** A body that is no object: it says nothing about tasks, but may be no JSON. */
  private other(): unknown {
    if (this.text.length > this.rules.limits.bytes)
      throw new HttpException("The body must be an object.", HttpStatus.BAD_REQUEST);
    return parseBounded(this.text, this.rules.limits);
  }

  private takes(character: string): boolean {
    if (this.next() !== character) return false;
    this.at++;
    return true;
  }

  private require(character: string): void {
    if (!this.takes(character)) throw notJson();
  }

  /** Goes behind the spaces; the character there, undefined at the end. */
  private next(): string | undefined {
    const start = this.at;
    this.at = skipSpaces(this.text, start);
    if (this.at > start && !SPACES.test(this.text.slice(start, this.at))) throw notJson();
    return this.text[this.at];
  }
}
