import type { Task } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { sentenceOf } from "../api/problem.js";
import { Skeleton } from "../ui/skeleton.js";
import { shardCells, shardsSentence } from "./shard-words.js";

interface ShardsProps {
  shards: Feed<readonly Task[]>;
  count: number;
}

/** Every shard in its order, by the state of its member. */
export function Shards({ shards: { value, problem }, count }: ShardsProps) {
  return (
    <>
      <h3>By shard</h3>
      {!value && (problem ? <p>{sentenceOf(problem)} It is tried again.</p> : <Skeleton lines={2} />)}
      {value && <Grid members={value} count={count} />}
    </>
  );
}

function Grid({ members, count }: { members: readonly Task[]; count: number }) {
  const cells = shardCells(members, count);
  const sentence = shardsSentence(cells);
  return (
    <>
      <div class="shards" role="img" aria-label={sentence}>
        {cells.map(({ index, state }) => (
          <i key={index} title={`shard ${index}: ${state ?? "not known"}`} class={state ? `is-${state}` : undefined} />
        ))}
      </div>
      <p class="small muted">{sentence}</p>
    </>
  );
}
