import { Client } from "pg";

/** Everything about our schema that statements can see, one line each. */
const LINES = `
  WITH relation AS (SELECT c.* FROM pg_class c WHERE c.relnamespace = 'tickwheel'::regnamespace)
  SELECT coalesce(x.indrelid, r.oid)::regclass::text AS name,
         concat_ws(' ', r.oid::regclass, r.relkind, r.relreplident, r.reloptions, pg_get_expr(r.relpartbound, r.oid), x.indisvalid, x.indisready,
                   pg_get_indexdef(x.indexrelid), (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = r.oid)) AS line
    FROM relation r LEFT JOIN pg_index x ON x.indexrelid = r.oid
  UNION ALL
  SELECT r.oid::regclass::text, concat_ws(' ', r.oid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, pg_get_expr(adbin, adrelid))
    FROM relation r JOIN pg_attribute a ON attrelid = r.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef d ON adrelid = r.oid AND adnum = attnum
   WHERE r.relkind IN ('r', 'p')
  UNION ALL
  SELECT r.oid::regclass::text, concat_ws(' ', r.oid::regclass, conname, convalidated, pg_get_constraintdef(c.oid))
    FROM relation r JOIN pg_constraint c ON conrelid = r.oid
  UNION ALL
  SELECT 'tickwheel.migration', name FROM tickwheel.migration
  UNION ALL
  SELECT 'tickwheel.compatibility', concat_ws(' ', oldest_migration, first_schema) FROM tickwheel.compatibility
  UNION ALL
  SELECT 'tickwheel.quarantine', 'rows ' || count(*) FROM tickwheel.quarantine
  ORDER BY 1, 2`;

/**
 * The shape of a migrated schema as sorted lines. Daily partitions are described by what they have in common, whatever
 * their days are. If one partition differs from the others, the lines show both forms.
 */
export async function shapeOf(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; line: string }>(LINES);
    const relations = new Map<string, string[]>();
    for (const { name, line } of rows) relations.set(name, [...(relations.get(name) ?? []), withoutDay(line)]);
    const shapes = [...relations].map(([name, lines]) => [withoutDay(name), ...lines.sort()].join("\n  "));
    return [...new Set(shapes)].sort();
  } finally {
    await client.end();
  }
}

function withoutDay(text: string): string {
  return text.replaceAll(/_\d{8}/g, "_day").replaceAll(/'\d{4}-\d{2}-\d{2}[^']*'/g, "'day'");
}
