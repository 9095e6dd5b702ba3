// The entry that a bundler is given: the program of the heartbeat's thread.
import "@tickwheel/heartbeat/heartbeat-worker";
