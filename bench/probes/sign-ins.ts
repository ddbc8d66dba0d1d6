/** A process of its own that signs in by SSH at a steady rate, whether or not the server keeps up, and prints how long it took. */
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import ssh2 from 'ssh2'
import { readInput } from '../processes.ts'

export interface SignIns {
  port: number
  username: string
  /** The file of a private key. */
  key: string
  rate_per_s: number
  duration_s: number
}

export interface SignedIn {
  asked: number
  /** Connections that came to nothing. */
  refused: number
  /** The message of the first refusal. */
  refusal: string | null
  /** From the first to the last that was signed in. */
  took_s: number
  p50_ms: number
  p90_ms: number
  p99_ms: number
  /** Processor time of this process, which is the client, in parts of one core. */
  client: number
}

const { port, username, key, rate_per_s, duration_s } = await readInput<SignIns>()
const privateKey = readFileSync(key)
const times: number[] = []
const asked: Array<Promise<void>> = []
let refused = 0
let refusal: string | null = null
const began = performance.now()
for (let number = 0; number < rate_per_s * duration_s; number += 1) {
  const due_ms = began + (number / rate_per_s) * 1_000 - performance.now()
  if (due_ms > 0) await new Promise((resolve) => setTimeout(resolve, due_ms))
  asked.push(signIn())
}
await Promise.all(asked)
const took_s = (performance.now() - began) / 1_000
const { user, system } = process.cpuUsage()
times.sort((a, b) => a - b)
const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
const result: SignedIn = {
  asked: asked.length,
  refused,
  refusal,
  took_s,
  p50_ms: at(0.5),
  p90_ms: at(0.9),
  p99_ms: at(0.99),
  client: (user + system) / 1e6 / took_s,
}
process.stdout.write(`${JSON.stringify(result)}\n`)

function signIn(): Promise<void> {
  const client = new ssh2.Client()
  const sent = performance.now()
  return new Promise((resolve) => {
    client.once('ready', () => {
      times.push(performance.now() - sent)
      client.end()
      resolve()
    })
    client.on('error', ({ message }) => {
      refused += 1
      refusal ??= message
      client.destroy()
      resolve()
    })
    // The client of ssh2 leaves it to the kernel to gather small packets, which takes longer than all else.
    const sock = createConnection({ host: '127.0.0.1', port, noDelay: true })
    client.connect({ sock, username, privateKey, readyTimeout: 10_000 })
  })
}
