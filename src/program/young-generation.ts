/** Limits how much memory V8 takes for what is short-lived. */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Of both halves together: twice 4 MB, less what V8 keeps for itself. By itself it goes up to 32 MB, and keeps them; no request takes measurably longer without. */
const enough_bytes = 7 * 1024 * 1024

/** Before anything is loaded: the young generation stays as it is, however much survives. An idle process has no use for more. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Lets it double as requests need it, up to the limit: the flag for a maximum counts only when the process starts. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  const hold = () => {
    if (youngGeneration_bytes() >= enough_bytes) holdYoungGeneration()
  }
  new PerformanceObserver(hold).observe({ entryTypes: ['gc'] })
  // With each thread that starts, V8 sets its flags anew.
  process.on('worker', (thread) => thread.once('online', hold))
}

export function youngGeneration_bytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
