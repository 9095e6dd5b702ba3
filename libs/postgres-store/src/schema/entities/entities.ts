import { ApiKeyEntity } from "./api-key.entity.js";
import { BatchEntity, BatchTallyEntity } from "./batch.entity.js";
import { CompatibilityEntity } from "./compatibility.entity.js";
import { HandlerReportEntity, StepEntity } from "./effects.entity.js";
import { HeartbeatEntity } from "./heartbeat.entity.js";
import { HistoryEntity } from "./history.entity.js";
import { IdempotencyEntity } from "./idempotency.entity.js";
import { JournalEntity } from "./journal.entity.js";
import { ClusterEventEntity, FormerNodeEntity, NodeEntity } from "./node.entity.js";
import { QuarantineEntity } from "./quarantine.entity.js";
import { ScheduleRunEntity } from "./schedule-run.entity.js";
import { ScheduleAnnouncementEntity, ScheduleEntity } from "./schedule.entity.js";
import { SessionEntity } from "./session.entity.js";
import { SuspectEntity } from "./suspect.entity.js";
import { RecountEntity } from "./recount.entity.js";
import { FindingEntity } from "./finding.entity.js";
import { TallyWriterEntity } from "./tally-writer.entity.js";
import { TallyEntity } from "./tally.entity.js";
import { TaskEntity } from "./task.entity.js";
import { TermEntity } from "./term.entity.js";
import { TypePolicyEntity } from "./type-policy.entity.js";
import { TypeEntity } from "./type.entity.js";
import { ViewEntity } from "./view.entity.js";

/**
 * Tickwheel's tables as TypeORM entities, for reports and tools that read them. The stores use statements of their own;
 * a test holds the entities to the migrated schema. Register them only in a data source of your own (see
 * `tickwheelDataSource`).
 */
export const ENTITIES = [
  ApiKeyEntity,
  BatchEntity,
  BatchTallyEntity,
  ClusterEventEntity,
  CompatibilityEntity,
  FormerNodeEntity,
  HandlerReportEntity,
  HeartbeatEntity,
  HistoryEntity,
  IdempotencyEntity,
  JournalEntity,
  NodeEntity,
  QuarantineEntity,
  ScheduleAnnouncementEntity,
  ScheduleRunEntity,
  ScheduleEntity,
  SessionEntity,
  StepEntity,
  SuspectEntity,
  RecountEntity,
  TallyEntity,
  FindingEntity,
  TallyWriterEntity,
  TaskEntity,
  TermEntity,
  TypePolicyEntity,
  TypeEntity,
  ViewEntity,
] as const;
