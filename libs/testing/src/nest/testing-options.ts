import type { DelayTaskModuleOptions } from "@tickwheel/nestjs";

/** Options of `DelayTaskTestingModule`: those of `DelayTaskModule`, and these. */
export interface DelayTaskTestingOptions extends Partial<
  Omit<DelayTaskModuleOptions, "redis" | "heartbeat" | "autoStart">
> {
  /**
   * A real Postgres, with a clock that is moved by hand all the same. The tests' tables lie in schemas of their own
   * (`tickwheel_test_1` to `_16`: each process takes one that is free) and are emptied at each start. Default, also
   * without `dataSource`: in memory.
   */
  url?: string | undefined;
  /**
   * True: on the Postgres that the application's own module names, by its `dataSource`, `transactions` or `url`, as
   * with `url` here. So its transactions carry its tasks as in production. For `in`; default false.
   */
  onPostgres?: boolean | undefined;
  /**
   * The application's own DataSource. With Postgres: the same as `url`, and `{ manager }` and `ctx.transaction` run on
   * it. With another database, such as SQLite: tasks are in memory, and commit and roll back with its transactions.
   */
  dataSource?: DelayTaskModuleOptions["dataSource"] | undefined;
  /**
   * What handlers get as `manager` in memory, where there is no `dataSource`: a fake, say. Default: one that says of
   * whatever is asked of it that the test has no database.
   */
  manager?: object | undefined;
  /** The time at the start. Default: the real one. */
  now?: Date | undefined;
  /** Draws jitters; the same one gives the same run. An integer; default 1. */
  seed?: number | undefined;
  /**
   * How many calls of handlers may begin at one instant of the test's time, 1 to 1,000,000; default 10,000. One more is
   * an error of the move that names the type: a handler that makes a new task at once each time would never end.
   */
  maxRunsAtOnce?: number | undefined;
  /** Whether the schedules of the application's code are made. Default true; they are checked in any case. */
  schedules?: boolean | undefined;
  /** Whether the scheduler's own lines go to Nest's log. Default false. */
  logs?: boolean | undefined;
}

/** The line that gives a test a real Postgres, for errors about what is not there in memory. */
export const POSTGRES_LINE = "DelayTaskTestingModule.forRoot({ url: process.env.DATABASE_URL })";
