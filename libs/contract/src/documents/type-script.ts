import type { Fields, Form, JsonSchema, ObjectForm, Shape } from "../shapes/shape.js";

/** A type of code: an interface, or where its form is no object, an alias. */
export interface CodeType {
  name: string;
  /** Its type parameters. */
  generics?: readonly string[];
  text: string;
  form: Form | Fields;
  /** Its variants, where its fields depend on each other: what may be given has this name. */
  narrowed?: { name: string; to: readonly string[]; text: string };
  /** What is said of an option that has no default of its own. Absent: these are no options, but an answer. */
  usual?: string;
}

/** A file of types. */
export interface CodeFile {
  /** What the names of other files are imported from; the names that nothing needs are left out. */
  imports: Readonly<Record<string, string>>;
  /** What an object that is told apart is called, by its name in the documents. */
  names?: Readonly<Record<string, string>>;
  types: readonly CodeType[];
}

const WIDTH = 120;

/** Types of TypeScript, with what is said of each field as its comment. */
export function typeScriptOf({ imports, names = {}, types }: CodeFile): string {
  const body = types.map((type) => new TypeWriter(names, type).source()).join("\n\n");
  const used = Object.entries(imports).filter(([name]) => new RegExp(`\\b${name}\\b`).test(body));
  const doors = [...new Set(used.map(([, door]) => door))];
  const lines = doors.map((door) => {
    const taken = used.filter(([, from]) => from === door).map(([name]) => name);
    return `import type { ${taken.join(", ")} } from ${JSON.stringify(door)};\n`;
  });
  return `// Made by \`npm run generate\`.\n${lines.join("")}\n${body}\n`;
}

/** The types of scalars that have one of their own. */
const SCALARS: Readonly<Record<string, string>> = {
  Boolean: "boolean",
  Deadline: "DeadlineInput",
  Duration: "DurationInput",
  Float: "number",
  ID: "string",
  Int: "number",
  JSON: "Json",
  ShardCount: 'number | "nodes"',
  String: "string",
};

class TypeWriter {
  private readonly isInput: boolean;

  constructor(
    private readonly names: Readonly<Record<string, string>>,
    private readonly type: CodeType,
  ) {
    this.isInput = type.usual !== undefined;
  }

  source(): string {
    const { narrowed } = this.type;
    if (narrowed === undefined) return this.whole();
    const variants = narrowed.to.map((variant) => `\n  ${variant}`).join("");
    return `${this.whole()}\n\n${commentOf(narrowed.text, "")}export type ${narrowed.name} =${variants};`;
  }

  private whole(): string {
    const { name, generics, text, form } = this.type;
    const head = `${name}${parametersOf(generics)}`;
    const comment = commentOf(text, "");
    if (!isForm(form)) return `${comment}export interface ${head} ${this.fieldsText(form, "")}`;
    if (form.kind === "object") return `${comment}export interface ${head} ${this.fieldsText(form.fields, "")}`;
    return `${comment}export type ${head} =${choice(this.choices(form, ""), ` ${head}`.length, "")};`;
  }

  private fieldsText(fields: Fields, indent: string): string {
    const inner = `${indent}  `;
    const lines = Object.entries(fields).map(([name, field]) => {
      const start = `${inner}${name}${field.isOptional ? "?" : ""}:`;
      const comment = commentOf(this.isInput ? optionText(field, this.type.usual!) : answerText(field), inner);
      return `${comment}${start}${choice(this.typesOf(field, inner), start.length, inner)};\n`;
    });
    return `{\n${lines.join("")}${indent}}`;
  }

  /** The types that a field's value may have. */
  private typesOf(field: Shape, indent: string): string[] {
    return [
      ...(field.code?.type === undefined ? this.choices(field.form, indent) : [field.code.type]),
      ...(field.isNullable || (this.isInput && field.takesNull) ? ["null"] : []),
      ...(this.isInput && field.isOptional ? ["undefined"] : []),
    ];
  }

  private choices(form: Form, indent: string): string[] {
    switch (form.kind) {
      case "scalar":
        return [this.scalarType(form.graphql, form.json)];
      case "words":
        return form.words.map((word) => JSON.stringify(word));
      case "list":
        return [`readonly ${this.itemType(form.of, indent)}[]`];
      case "either":
        return form.of.flatMap((one) => this.typesOf(one, indent));
      case "object":
        return [this.objectType(form, indent)];
      case "extended":
        throw new Error(`${form.name}: no type of code extends another`);
    }
  }

  private itemType(of: Shape, indent: string): string {
    const types = this.typesOf(of, indent);
    return types.length === 1 ? types[0]! : `(${types.join(" | ")})`;
  }

  private objectType(form: ObjectForm, indent: string): string {
    if (form.isInput) return form.name;
    return this.names[form.name] ?? this.fieldsText(form.fields, indent);
  }

  private scalarType(graphql: string, { additionalProperties: items }: JsonSchema): string {
    if (graphql === "DateTime") return this.isInput ? "Date | string" : "Instant";
    if (graphql !== "JSON" || typeof items !== "object") return SCALARS[graphql]!;
    const known = (items as JsonSchema)["enum"] as readonly string[] | undefined;
    const value = known?.map((word) => JSON.stringify(word)).join(" | ") ?? "string";
    return `Readonly<Record<string, ${value}>>`;
  }
}

/** On the line, or where that grows too long, one below the other. */
function parametersOf(generics: readonly string[] = []): string {
  const line = generics.join(", ");
  if (line === "") return "";
  return line.length < WIDTH / 2 ? `<${line}>` : `<\n${generics.map((one) => `  ${one},\n`).join("")}>`;
}

function isForm(form: Form | Fields): form is Form {
  return typeof form["kind"] === "string";
}

/** One of some types: on the line, or where that grows too long, one below the other. */
function choice(types: readonly string[], before: number, indent: string): string {
  const line = ` ${types.join(" | ")}`;
  const first = line.split("\n", 1)[0]!;
  return before + first.length < WIDTH ? line : types.map((type) => `\n${indent}  | ${type}`).join("");
}

function answerText(field: Shape): string {
  const text = field.code?.text ?? field.text ?? "";
  return [text, ...wordTexts(field.form, text)].join(" ").trim();
}

/** The text of an option: what it is, its bounds, an example; last, its default. */
function optionText(field: Shape, usual: string): string {
  const all = answerText(field);
  const { start, end } = splitAtDefault(all);
  const named = field.default === undefined ? (field.isOptional ? usual : "No default.") : usually(field.default);
  const example = field.example === undefined ? [] : [`Such as ${code(field.example)}.`];
  return [
    start,
    ...(field.code?.values === undefined ? boundsOf(field.form) : [field.code.values]),
    ...example,
    end ?? (/\bdefault\b/i.test(all) ? "" : named),
  ]
    .filter(Boolean)
    .join(" ");
}

function splitAtDefault(text: string): { start: string; end: string | undefined } {
  const at = text.indexOf("Default: ");
  return at < 0 ? { start: text, end: undefined } : { start: text.slice(0, at).trim(), end: text.slice(at) };
}

function usually(value: unknown): string {
  return `Default: ${typeof value === "number" ? value : code(value)}.`;
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

/** What words mean, of which the text does not say it. */
function wordTexts(form: Form, text: string): string[] {
  if (form.kind !== "words") return [];
  return Object.entries(form.texts)
    .filter(([word]) => !text.includes(`\`${word}\``))
    .map(([word, meaning]) => `\`${word}\`: ${meaning}`);
}

/** A pattern of names, whose bounds a reader does not find in it. */
const NAME = /\[A-Za-z0-9\._:-\]\{1,(\d+)\}/;

function boundsOf(form: Form): string[] {
  if (form.kind === "list") {
    const { maxItems, uniqueItems } = form.json;
    const of = boundsOf(form.of.form);
    const parts = [
      ...(maxItems === undefined ? [] : [`at most ${count(maxItems)}`]),
      ...(uniqueItems === true ? ["each once"] : []),
    ];
    return [...(parts.length === 0 ? [] : [sentence(parts.join(", "))]), ...of.map((bounds) => `Each: ${bounds}`)];
  }
  if (form.kind !== "scalar") return [];
  if (form.graphql === "Duration") return ['Milliseconds, or a text such as `"15m"`.'];
  if (form.graphql === "DateTime") return ["A Date, or ISO 8601 with offset."];
  const { minimum, maximum, minLength, maxLength, pattern } = form.json;
  const longest = NAME.exec(String(pattern))?.[1];
  if (longest !== undefined) return [`1 to ${longest} characters of \`A-Z a-z 0-9 . _ : -\`.`];
  if (maxLength !== undefined)
    return [`${minLength === undefined ? "At most" : `${count(minLength)} to`} ${count(maxLength)} characters.`];
  return minimum === undefined || maximum === undefined ? [] : [`${count(minimum)} to ${count(maximum)}.`];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function count(value: unknown): string {
  return (value as number).toLocaleString("en-US");
}

/** A comment in the width of the editor; code in it is one word. */
export function commentOf(text: string, indent: string): string {
  if (text === "") return "";
  const line = `${indent}/** ${text} */`;
  if (line.length <= WIDTH) return `${line}\n`;
  const lines: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && `${indent} * ${last} ${word}`.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return `${indent}/**\n${lines.map((one) => `${indent} * ${one}\n`).join("")}${indent} */\n`;
}
