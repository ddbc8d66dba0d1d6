/** A process of its own that asks one address again and again, over a few connections, and prints how fast it was answered. */
import autocannon from 'autocannon'
import { readInput } from '../processes.ts'

export interface Load {
  url: string
  headers: Record<string, string>
  connections: number
  duration_s: number
}

export interface Speed {
  requests: number
  requests_per_s: number
  p50_ms: number
  p99_ms: number
}

const { duration_s, ...load } = await readInput<Load>()
const times: number[] = []
const run = autocannon({ ...load, duration: duration_s })
run.on('response', (_client, _status, _bytes, time_ms) => times.push(time_ms))
const result = await run
if (result.errors > 0 || result.non2xx > 0) throw new Error(`${load.url}: ${result.errors} errors, ${result.non2xx} refusals`)
const sorted = Float64Array.from(times).sort()
const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] as number
const speed: Speed = { requests: result['2xx'], requests_per_s: result['2xx'] / result.duration, p50_ms: at(0.5), p99_ms: at(0.99) }
process.stdout.write(`${JSON.stringify(speed)}\n`)
