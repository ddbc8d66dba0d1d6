/** Parses incoming messages in a separate process, with a deadline and a memory limit: anybody can send one. */
import { JobLost, openSandbox } from '../../sandbox/sandbox.ts'
import type { ReceivedMessage } from './parse-message.ts'

/** The largest accepted messages need two seconds. */
const longest_ms = 20_000

const sandbox = openSandbox({
  program: { source: new URL('./worker.ts', import.meta.url), shipped: './mail-worker.js' },
  ...{ maxWaiting: 20, maxWaitingInAll: 20, max_mb: 192, idle_ms: 10_000 },
})

/** Null for a message that takes too much time or memory. */
export async function readMessage(raw: Buffer): Promise<ReceivedMessage | null> {
  try {
    return (await sandbox.run('mail', { job: { raw }, longest_ms })) as ReceivedMessage
  } catch (error) {
    if (error instanceof JobLost) return null
    throw error
  }
}
