// `node --expose-gc refill-wheel.mjs <timers> <times>`: fills a wheel and lets it fire, again and again; prints the
// resident memory before, and at each time when it was full, as JSON.
import { SeededRandom } from "@tickwheel/testing";
import { TimingWheel } from "@tickwheel/timing-wheel";

const [count, times] = process.argv.slice(2).map(Number);
const HOUR_TICKS = 3_600_000;
const SEED = 88_172_645;

function residentBytes() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage.rss();
}

const random = new SeededRandom(SEED);

function fill(wheel, fromTick) {
  for (let value = 0; value < count; value++)
    wheel.insert(fromTick + 1 + Math.floor(random.next() * HOUR_TICKS), value);
}

function drain(wheel, fromTick) {
  const out = new Float64Array(1_024);
  let fired = 0;
  for (let nowTick = fromTick; wheel.size > 0;) {
    nowTick = wheel.nextExpiryTick();
    do fired += wheel.poll(nowTick, out);
    while (wheel.hasMore);
  }
  return fired;
}

const wheel = new TimingWheel();
const startBytes = residentBytes();
const peakBytes = [];
let fired = 0;
for (let time = 0; time < times; time++) {
  fill(wheel, time * HOUR_TICKS);
  peakBytes.push(residentBytes());
  fired += drain(wheel, time * HOUR_TICKS);
}
console.log(JSON.stringify({ startBytes, peakBytes, fired, wheelBytes: wheel.memoryBytes }));
