/**
 * Every function of this folder has it, and names all that is ours in full: so nothing that a caller has made stands
 * before what is meant.
 */
export const SAFE_PATH = "SET search_path = pg_catalog, pg_temp";
