/** Preloaded into the measured server: watches its event loop, and on SIGUSR2 writes the longest stall since the last time. */
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolution_ms = 2
const report = process.env.GITSTEAD_BENCH_STALL_REPORT
const watch = monitorEventLoopDelay({ resolution: resolution_ms })
watch.enable()

process.on('SIGUSR2', () => {
  // A loop that never stands still is seen at every beat of the watch.
  const stall_ms = Math.max(0, watch.max / 1e6 - resolution_ms)
  watch.reset()
  writeFileSync(`${report}.part`, String(stall_ms))
  renameSync(`${report}.part`, report)
})
