type Tree = Readonly<Record<string, unknown>>;

/** What has changed between two documents of an API. */
export interface ApiChanges {
  /** What a client that works today may stumble over. */
  breaking: string[];
  /** What a client may use, and need not know. */
  additions: string[];
}

/** Who writes what a schema describes: the client or the server. Each may do less than before, and more. */
type Writer = "client" | "server";
/** Where a schema stands, and who writes what it describes. */
interface Place {
  place: string;
  writer: Writer;
}
/** Before, and now. */
type Pair = readonly [unknown, unknown];

/**
 * Tells what of an OpenAPI document breaks a client, and what only adds to it. Texts and examples are nothing.
 *
 * @param before the document of the version that clients know
 */
export function apiChanges(before: Tree, now: Tree): ApiChanges {
  const comparison = new Comparison(before, now);
  comparison.compareCalls();
  return comparison.changes;
}

class Comparison {
  readonly changes: ApiChanges = { breaking: [], additions: [] };
  /** Pairs of components that were compared, or are. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly before: Tree,
    private readonly now: Tree,
  ) {}

  compareCalls(): void {
    const before = callsOf(this.before);
    const now = callsOf(this.now);
    for (const [name, call] of before) {
      const present = now.get(name);
      if (present) this.compareCall(name, call, present);
      else this.changes.breaking.push(`${name} is gone`);
    }
    for (const name of now.keys()) if (!before.has(name)) this.changes.additions.push(`${name} is new`);
  }

  private compareCall(name: string, before: Tree, now: Tree): void {
    const asked = parametersOf(before);
    const present = parametersOf(now);
    for (const [parameter, facts] of asked) {
      const other = present.get(parameter);
      if (!other) this.changes.breaking.push(`${name}: the parameter ${parameter} is gone`);
      else {
        if (other["required"] === true && facts["required"] !== true)
          this.changes.breaking.push(`${name}: the parameter ${parameter} is required now`);
        this.compare({ place: `${name}?${parameter}`, writer: "client" }, [facts["schema"], other["schema"]]);
      }
    }
    for (const [parameter, facts] of present)
      if (!asked.has(parameter)) {
        const kind = facts["required"] === true ? "breaking" : "additions";
        this.changes[kind].push(`${name}: the parameter ${parameter} is new`);
      }
    this.compareContents({ place: `${name} body`, writer: "client" }, [before["requestBody"], now["requestBody"]]);
    this.compareAnswers(name, treeOf(before["responses"]), treeOf(now["responses"]));
  }

  private compareAnswers(name: string, before: Tree, now: Tree): void {
    for (const [status, answer] of Object.entries(before)) {
      // Which errors there may be is known by their codes.
      if (Number(status) >= 400) continue;
      if (status in now) this.compareContents({ place: `${name} ${status}`, writer: "server" }, [answer, now[status]]);
      else this.changes.breaking.push(`${name}: the answer ${status} is gone`);
    }
  }

  private compareContents({ place, writer }: Place, pair: Pair): void {
    const [before, now] = pair.map((one) => treeOf(treeOf(one)["content"]));
    for (const [type, content] of Object.entries(before!)) {
      const present = now![type];
      if (present === undefined) this.changes.breaking.push(`${place}: ${type} is gone`);
      else this.compare({ place, writer }, [treeOf(content)["schema"], treeOf(present)["schema"]]);
    }
  }

  private compare({ place, writer }: Place, [one, other]: Pair): void {
    const before = this.resolved(this.before, one);
    const now = this.resolved(this.now, other);
    this.compareKinds({ place, writer }, before, now);
    // A component is compared once, wherever it stands, and whatever is said beside it.
    const key = `${nameOf(one)} ${nameOf(other)} ${writer}`;
    if (nameOf(one) !== "" && this.seen.has(key)) return;
    this.seen.add(key);
    const here = nameOf(one) || place;
    if (before["items"] !== undefined) this.compare({ place: `${here}[]`, writer }, [before["items"], now["items"]]);
    const several = severalOf(before);
    const others = severalOf(now);
    for (const [index, part] of several.entries())
      if (index < others.length) this.compare({ place: `${here} (${index + 1})`, writer }, [part, others[index]]);
    this.compareFields({ place: here, writer }, before, now);
  }

  private compareKinds({ place, writer }: Place, before: Tree, now: Tree): void {
    if (kindOf(before) !== kindOf(now))
      this.changes.breaking.push(`${place} was ${kindOf(before)}, and is ${kindOf(now)}`);
    if ((before["nullable"] === true) !== (now["nullable"] === true)) {
      const isLooser = now["nullable"] === true;
      const kind = isLooser === (writer === "client") ? "additions" : "breaking";
      this.changes[kind].push(`${place} ${isLooser ? "may be null now" : "is never null now"}`);
    }
    const words = listOf(before["enum"]);
    const present = listOf(now["enum"]);
    const gone = words.filter((word) => word !== null && !present.includes(word));
    const added = present.filter((word) => word !== null && !words.includes(word));
    if (gone.length > 0 && writer === "client")
      this.changes.breaking.push(`${place} no longer takes ${gone.join(", ")}`);
    if (added.length > 0) this.changes.additions.push(`${place} has the new words ${added.join(", ")}`);
  }

  private compareFields({ place, writer }: Place, before: Tree, now: Tree): void {
    const fields = treeOf(before["properties"]);
    const present = treeOf(now["properties"]);
    const required = listOf(before["required"]);
    const requiredNow = listOf(now["required"]);
    for (const [field, schema] of Object.entries(fields)) {
      const here = `${place}.${field}`;
      if (!(field in present)) this.changes.breaking.push(`${here} is gone`);
      else {
        if (writer === "server" && required.includes(field) && !requiredNow.includes(field))
          this.changes.breaking.push(`${here} may be absent now`);
        if (writer === "client" && !required.includes(field) && requiredNow.includes(field))
          this.changes.breaking.push(`${here} is required now`);
        this.compare({ place: here, writer }, [schema, present[field]]);
      }
    }
    for (const field of Object.keys(present))
      if (!(field in fields)) {
        const isBreaking = writer === "client" && requiredNow.includes(field);
        this.changes[isBreaking ? "breaking" : "additions"].push(`${place}.${field} is new`);
      }
  }

  /** A schema with what it refers to, and with all parts of an `allOf`. */
  private resolved(document: Tree, schema: unknown): Tree {
    const tree = treeOf(schema);
    if (typeof tree["$ref"] === "string")
      return this.resolved(document, treeOf(treeOf(document["components"])["schemas"])[nameOf(tree)]);
    const parts = listOf(tree["allOf"]).map((part) => this.resolved(document, part));
    if (parts.length === 0) return tree;
    const properties = Object.assign({}, ...parts.map((part) => treeOf(part["properties"]))) as Tree;
    const required = parts.flatMap((part) => listOf(part["required"]));
    return { ...parts[0], ...tree, properties, required };
  }
}

function callsOf(document: Tree): Map<string, Tree> {
  const calls = Object.entries(treeOf(document["paths"])).flatMap(([path, verbs]) =>
    Object.entries(treeOf(verbs)).map(([verb, call]): [string, Tree] => [
      `${verb.toUpperCase()} ${path}`,
      treeOf(call),
    ]),
  );
  return new Map(calls);
}

function parametersOf(call: Tree): Map<string, Tree> {
  return new Map(listOf(call["parameters"]).map((one) => [`${String(treeOf(one)["name"])}`, treeOf(one)]));
}

/** The name of the component that a schema refers to, also beside a text; `""`: it refers to none. */
function nameOf(schema: unknown): string {
  const tree = treeOf(schema);
  const all = listOf(tree["allOf"]);
  if (all.length === 1) return nameOf(all[0]);
  const ref = tree["$ref"];
  return typeof ref === "string" ? ref.slice(ref.lastIndexOf("/") + 1) : "";
}

function severalOf(schema: Tree): readonly unknown[] {
  return listOf(schema["oneOf"] ?? schema["anyOf"]);
}

function kindOf(schema: Tree): string {
  const of = severalOf(schema);
  if (of.length > 0) return `one of ${of.map((one) => nameOf(one) || kindOf(treeOf(one))).join(", ")}`;
  const format = typeof schema["format"] === "string" ? ` (${schema["format"]})` : "";
  return typeof schema["type"] === "string" ? schema["type"] + format : "anything";
}

function treeOf(value: unknown): Tree {
  return (value ?? {}) as Tree;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
