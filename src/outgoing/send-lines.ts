/** Sends lines to a TCP port chosen by a user: only to the checked address. Nothing is read. */
import { connect } from 'node:net'
import { Failure } from '../failure.ts'
import type { PinnedTarget } from './ssrf-guard.ts'

/** Throws `invalid`, with text for users, if the host doesn't accept them in time. */
export async function sendLines(
  { addresses, port }: PinnedTarget,
  { lines, deadline_ms }: { lines: string[]; deadline_ms: number },
): Promise<void> {
  const socket = connect({ host: addresses[0] ?? '', port })
  const deadline = setTimeout(() => socket.destroy(new Error('too late')), deadline_ms)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed')))
      socket.resume().end(lines.map((line) => `${line}\n`).join(''), () => resolve())
    })
  } catch (cause) {
    throw new Failure('invalid', 'The host could not be reached', { cause })
  } finally {
    clearTimeout(deadline)
    socket.destroySoon()
  }
}
