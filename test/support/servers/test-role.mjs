// The role whose url specs and their nodes are given. Plain JavaScript, so that what runs without Jest has it too.
import pg from "pg";

const ROLE = "schema_owner";
/** Only on the servers of tests, which listen on loopback. */
const PASSWORD = "schema-owner";

/**
 * Whether specs and their nodes work as a role that owns the schema `tickwheel` and nothing else
 * (`TICKWHEEL_TEST_ROLE=owner`), and not as the superuser.
 */
export const RUNS_AS_OWNER = process.env["TICKWHEEL_TEST_ROLE"] === "owner";

/** The superuser's url of each url that was given out. */
const superusers = new Map();

/**
 * The url by which specs and their nodes use a database: that of the superuser, or with `TICKWHEEL_TEST_ROLE=owner`
 * that of a role without any attribute but LOGIN, and without any membership. The database stays the superuser's: the
 * role may connect to it, as everybody may, and has neither CREATE nor TEMPORARY there. It owns the schema `tickwheel`,
 * which is made for it. It may also create tables in the schema `public`, because tests keep their ledgers there; no
 * node needs that.
 *
 * @param {string} superuserUrl of a database that is there
 * @returns {Promise<string>} the url of the same database
 */
export async function urlForSpecs(superuserUrl) {
  if (!RUNS_AS_OWNER) return superuserUrl;
  await asSuperuser(superuserUrl, [ROLE_UNLESS_THERE, NOTHING_TEMPORARY, `GRANT CREATE ON SCHEMA public TO ${ROLE}`]);
  const { href } = Object.assign(new URL(superuserUrl), { username: ROLE, password: PASSWORD });
  superusers.set(href, superuserUrl);
  await makeSchemas(href, "tickwheel");
  return href;
}

/**
 * The superuser's url of the same database: for what a spec itself needs a superuser for, and never for a node.
 *
 * @param {string} url that `urlForSpecs` gave out
 * @returns {string}
 */
export function superuserUrlOf(url) {
  return superusers.get(url) ?? url;
}

/**
 * Makes schemas that the role owns, as an administrator does for a node that is to use another schema than `tickwheel`.
 * Does nothing where specs are the superuser: nodes then make their schemas by themselves.
 *
 * @param {string} url that `urlForSpecs` gave out
 * @param {readonly string[]} names those that are there stay as they are
 * @example await makeSchemas(postgres.url, "tickwheel_second");
 */
export async function makeSchemas(url, ...names) {
  if (!RUNS_AS_OWNER) return;
  const statements = names.map(
    (name) => `CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(name)} AUTHORIZATION ${ROLE}`,
  );
  await asSuperuser(superuserUrlOf(url), statements);
}

async function asSuperuser(superuserUrl, statements) {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Roles are the server's: another of its databases may have been first, at the same instant too. */
const ROLE_UNLESS_THERE = `DO $$
  BEGIN
    CREATE ROLE ${ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '${PASSWORD}';
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
  END $$`;

const NOTHING_TEMPORARY = `DO $$
  BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$`;
