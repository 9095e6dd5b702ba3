/** What was written to Postgres between two moments. */
export interface DatabaseWork {
  /** Bytes of the write-ahead log. */
  readonly walBytes: number;
  /** Commits of transactions that wrote something; one that only reads writes no log. */
  readonly commits: number;
  /** Row versions that an update or a delete left behind. */
  readonly deadVersions: number;
  /** Those of updates that changed no index and found room on the row's page. */
  readonly hotUpdates: number;
}

/** How many records of one type there are in a stretch of the write-ahead log. */
export interface RecordCount {
  /** As `pg_get_wal_stats` names it, for example `Heap/UPDATE`. */
  readonly type: string;
  readonly count: number;
}

const COMMITS = ["Transaction/COMMIT"];
/** `+INIT`: the new version is the first row of its page. */
const HOT_UPDATES = ["Heap/HOT_UPDATE", "Heap/HOT_UPDATE+INIT"];
const DEAD_VERSIONS = [...HOT_UPDATES, "Heap/UPDATE", "Heap/UPDATE+INIT", "Heap/DELETE"];

/** What the records of a stretch of the log stand for. Each updated or deleted row has a record of its own. */
export function databaseWorkOf(walBytes: number, records: readonly RecordCount[]): DatabaseWork {
  const sum = (types: readonly string[]): number =>
    records.filter(({ type }) => types.includes(type)).reduce((total, { count }) => total + count, 0);
  return { walBytes, commits: sum(COMMITS), deadVersions: sum(DEAD_VERSIONS), hotUpdates: sum(HOT_UPDATES) };
}

/** The same per task; no figures where there is no Postgres or no task. */
export function databaseFigures(work: DatabaseWork | null, tasks: number): Record<string, number> {
  if (work === null || tasks === 0) return {};
  return {
    walBytesPerTask: work.walBytes / tasks,
    commitsPerTask: work.commits / tasks,
    deadVersionsPerTask: work.deadVersions / tasks,
    hotUpdatesPerTask: work.hotUpdates / tasks,
  };
}

/** What the help of a job says of these figures. */
export const EXPLAINS_DATABASE_WORK = `walBytesPerTask         what Postgres writes to its log; a page's first change after the checkpoint before the job is its whole image
  commitsPerTask          of transactions that write; those that only read are left out
  deadVersionsPerTask     rows updated or deleted, each of which leaves a version for vacuum; hotUpdates… of them changed no index.
                          All are counted in the log between the ends of the measured time, for contestants on Postgres. The bench
                          reads the log afterwards, from another database; its looks at tasks only read: they add no commit, no version and hardly a byte`;
