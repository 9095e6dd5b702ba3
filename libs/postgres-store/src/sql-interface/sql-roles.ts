import type { QuotedSchema } from "../connection/session.js";
import { SAFE_PATH } from "./safe-path.js";

/**
 * Who may call the functions of this folder, and in which namespace: a row for each role that was allowed. A login has
 * the namespaces of all roles that it is a member of.
 *
 * `session_user` stays the login that asked, whatever a function's owner or `SET ROLE` says.
 */
export function sqlRoles(schema: QuotedSchema): string {
  return `
CREATE TABLE ${schema}.sql_role (
  role text NOT NULL,
  namespace text NOT NULL,
  payloads boolean NOT NULL DEFAULT false,
  allowed_by text NOT NULL DEFAULT session_user,
  allowed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT sql_role_pkey PRIMARY KEY (role, namespace)
);

CREATE FUNCTION ${schema}.is_sql_owner(login name) RETURNS boolean
LANGUAGE sql STABLE ${SAFE_PATH}
RETURN pg_has_role(login, (SELECT nspowner FROM pg_namespace WHERE oid = '${schema}'::regnamespace), 'MEMBER');

CREATE FUNCTION ${schema}.sql_namespaces(login name) RETURNS TABLE (namespace text, payloads boolean)
LANGUAGE sql STABLE SECURITY DEFINER ${SAFE_PATH}
BEGIN ATOMIC
  SELECT r.namespace, bool_or(r.payloads)
    FROM ${schema}.sql_role r JOIN pg_roles p ON p.rolname = r.role
   WHERE pg_has_role(login, p.oid, 'MEMBER')
   GROUP BY r.namespace;
END;
${namespaceOfCaller(schema)}`;
}

/** The one namespace in which a login works, where it names none. */
function namespaceOfCaller(schema: QuotedSchema): string {
  return `
CREATE FUNCTION ${schema}.sql_namespace(login name, wanted text) RETURNS text
LANGUAGE plpgsql STABLE ${SAFE_PATH} AS $body$
DECLARE
  allowed text[];
BEGIN
  IF ${schema}.is_sql_owner(login) THEN
    RETURN coalesce(wanted, 'default');
  END IF;
  allowed := ARRAY(SELECT n.namespace FROM ${schema}.sql_namespaces(login) n ORDER BY 1);
  IF wanted = ANY (allowed) OR (wanted IS NULL AND cardinality(allowed) = 1) THEN
    RETURN coalesce(wanted, allowed[1]);
  END IF;
  IF cardinality(allowed) = 0 THEN
    RAISE EXCEPTION 'FORBIDDEN: the role "%" has no namespace', login
      USING ERRCODE = 'insufficient_privilege', HINT = 'npx tickwheel sql allow <role> --namespace <namespace>';
  END IF;
  RAISE EXCEPTION '%', CASE WHEN wanted IS NULL
      THEN format('VALIDATION_FAILED: namespace must be given, since the role "%s" has several: %s', login, array_to_string(allowed, ', '))
      ELSE format('FORBIDDEN: the role "%s" has no namespace "%s"', login, wanted) END
    USING ERRCODE = CASE WHEN wanted IS NULL THEN 'invalid_parameter_value' ELSE 'insufficient_privilege' END;
END;
$body$;`;
}
