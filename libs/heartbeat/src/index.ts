export { heartbeatWorkerFile } from "./thread/heartbeat-worker-file.js";
export { WorkerHeartbeat } from "./thread/worker-heartbeat.js";
