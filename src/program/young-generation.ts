/** Limits the memory that V8 uses for short-lived objects. */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Both halves together: twice 4 MB, minus V8's own overhead. By default V8 goes up to 32 MB and keeps them, without making requests
 * measurably faster.
 */
const enough_bytes = 7 * 1024 * 1024

/** Called before anything is loaded: keeps the young generation small, however much survives. An idle process doesn't need more. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Lets it double as requests need it, up to the limit; the flag for the maximum only has an effect at process start. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  const hold = () => {
    if (youngGeneration_bytes() >= enough_bytes) holdYoungGeneration()
  }
  new PerformanceObserver(hold).observe({ entryTypes: ['gc'] })
  // V8 sets its flags again with each thread that starts.
  process.on('worker', (thread) => thread.once('online', hold))
}

export function youngGeneration_bytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
