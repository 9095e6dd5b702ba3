// How a SQL mutant changes the built Postgres store from outside. For a process of its own: what was planted cannot be
// taken out again.

const library = import.meta.resolve("@tickwheel/postgres-store");

/**
 * A module of the store, the same instance that the store itself uses.
 *
 * @param {string} path from the library's source folder, like `statements/claim/claim-tasks.js`
 */
export function storeModule(path) {
  return import(new URL(path, library).href);
}

/**
 * Replaces parts of a statement's text.
 *
 * @param {{ sql: (schema: string) => string }} statement
 * @param {Record<string, string>} parts what stands there once, and what takes its place; white space counts as one
 *   blank, `@` is the schema
 * @throws Error where the statement has changed and a part is not there any more: the mutant must be written anew
 */
export function rewrite(statement, parts) {
  const { name, sql } = statement;
  const mutated = (schema) => replaceParts(name, sql(schema), { parts, schema });
  mutated('"tickwheel"');
  statement.sql = mutated;
}

function replaceParts(name, text, { parts, schema }) {
  let result = oneLine(text);
  for (const [part, other] of Object.entries(parts)) {
    const [from, to] = [part, other].map((sql) => oneLine(sql).replaceAll("@", `${schema}.`));
    const pieces = result.split(from);
    if (pieces.length !== 2) throw new Error(`${name} has ${pieces.length - 1} times: ${part}`);
    result = pieces.join(to);
  }
  return result;
}

function oneLine(sql) {
  return sql.replaceAll(/\s+/g, " ");
}

/**
 * Leaves one statement out of a store's transaction.
 *
 * @param {{ prototype: Record<string, Function> }} store
 * @param {string} method which runs one transaction of its own
 * @param {object} statement
 */
export function leaveOut(store, method, statement) {
  const original = store.prototype[method];
  store.prototype[method] = function (...given) {
    const { database } = this;
    const transaction = (work, options) =>
      database.transaction((session) => {
        const run = async (one, values) => (one === statement ? [] : session.run(one, values));
        return work({ run });
      }, options);
    const without = Object.create(database, { transaction: { value: transaction } });
    return original.apply(Object.create(this, { database: { value: without } }), given);
  };
}
