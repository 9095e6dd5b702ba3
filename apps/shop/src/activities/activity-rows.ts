import type { EntityManager } from "typeorm";

/** When an activity begins and ends. */
export interface ActivityPlan {
  activityId: string;
  startsAt: Date;
  /** After `startsAt`. */
  endsAt: Date;
}

/** Writes a plan in the place of the present one. @returns false: the activity has begun, or was called off */
export async function writePlan(
  manager: EntityManager,
  { activityId, startsAt, endsAt }: ActivityPlan,
): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO shop.activities AS activity (id, starts_at, ends_at) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET starts_at = EXCLUDED.starts_at, ends_at = EXCLUDED.ends_at
     WHERE activity.status = 'planned'
     RETURNING id`,
    [activityId, startsAt, endsAt],
  );
  return rows.length === 1;
}

export async function startActivity(manager: EntityManager, activityId: string, startsAt: Date): Promise<void> {
  await manager.query(
    "UPDATE shop.activities SET status = 'running' WHERE id = $1 AND status = 'planned' AND starts_at = $2",
    [activityId, startsAt],
  );
}

/** Also one that has not begun: its start may be late. */
export async function endActivity(manager: EntityManager, activityId: string, endsAt: Date): Promise<void> {
  await manager.query(
    "UPDATE shop.activities SET status = 'over' WHERE id = $1 AND status IN ('planned', 'running') AND ends_at = $2",
    [activityId, endsAt],
  );
}

/** @returns false: the activity has begun, or there is none */
export async function callOff(manager: EntityManager, activityId: string): Promise<boolean> {
  const [, count]: [unknown[], number] = await manager.query(
    "UPDATE shop.activities SET status = 'called off' WHERE id = $1 AND status = 'planned'",
    [activityId],
  );
  return count === 1;
}
