// Made by `npm run generate`: the lists of words of the API.

export const taskStates = ["scheduled", "paused", "running", "succeeded", "dead", "cancelled", "expired"] as const;
export const taskTabs = ["overdue", "running", "scheduled", "paused", "failing", "dead", "finished"] as const;
export const conflictPolicies = ["reject", "return", "replace", "refresh", "merge"] as const;
export const becauseCodes = [
  "SCHEDULED",
  "RETRIES",
  "PUT_OFF",
  "BREAKER",
  "PAUSED",
  "HALTED",
  "NO_NODE",
  "NO_CONSUMER",
  "LIMITED",
  "NO_PLACE",
  "DUE",
  "RUNNING",
  "STOPPING",
  "SUCCEEDED",
  "SKIPPED",
  "DEAD",
  "CANCELLED",
  "EXPIRED",
] as const;
export const scheduleStates = ["active", "paused", "finished"] as const;
export const misfires = ["last", "skip", "all"] as const;
export const overlaps = ["skip", "buffer", "allow", "cancel-other"] as const;
export const resumes = ["skip", "last"] as const;
export const gaps = ["shift", "skip"] as const;
export const folds = ["first", "last", "both"] as const;
export const batchStates = ["filling", "open", "complete", "cancelled"] as const;
export const eventKinds = [
  "JOINED",
  "TERM",
  "VIEW",
  "TAKEOVER",
  "SUSPECT",
  "RECOVERED",
  "DEAD",
  "REAPED",
  "DRAINING",
  "DRAINED",
  "LEFT",
  "SETTINGS_CHANGED",
  "BREAKER_OPENED",
  "BREAKER_CLOSED",
] as const;
export const operationActions = [
  "cancel",
  "retry",
  "restore",
  "reschedule",
  "run_now",
  "pause",
  "resume",
  "discard",
  "add_tag",
  "remove_tag",
] as const;
export const operationStates = ["running", "done", "stopped", "undoing", "undone"] as const;
export const historyRanges = ["1h", "24h", "7d"] as const;
export const forecastRanges = ["1m", "1h", "24h", "30d"] as const;
export const severities = ["critical", "warning", "notice"] as const;
export const roles = ["viewer", "operator", "admin", "worker"] as const;
