import pg from "pg";

/**
 * A connection that prepares every statement with parameters under a name of its own, for TypeORM's pool
 * (`extra: { Client }`).
 *
 * TypeORM sends such statements unnamed, and Postgres then parses and plans each anew, which costs it more than running
 * it. Only for an application that, like this one, has few different statements: each stays on each connection.
 */
export class PreparingClient extends pg.Client {
  override query(...call: unknown[]): never {
    const [text, values, ...rest] = call;
    const send = (...args: unknown[]): never => super.query(...(args as [never])) as never;
    if (typeof text !== "string" || !Array.isArray(values)) return send(...call);
    return send({ name: nameOf(text), text, values }, ...rest);
  }
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `shop_${names.size}`));
  return name;
}
