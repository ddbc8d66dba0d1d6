/** A process of its own that posts to addresses in turn at a steady rate, whether or not the answers keep up. */
import { readInput } from '../processes.ts'

export interface Writing {
  urls: string[]
  headers: Record<string, string>
  rate_per_s: number
  count: number
}

const { urls, headers, rate_per_s, count } = await readInput<Writing>()
const posted: Array<Promise<void>> = []
const began = performance.now()
for (let number = 0; number < count; number += 1) {
  const due_ms = began + (number / rate_per_s) * 1_000 - performance.now()
  if (due_ms > 0) await new Promise((resolve) => setTimeout(resolve, due_ms))
  posted.push(post(urls[number % urls.length] as string))
}
await Promise.all(posted)
process.stdout.write(`${JSON.stringify({ took_s: (performance.now() - began) / 1_000 })}\n`)

async function post(url: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`)
}
