/** Stand-ins for the counter of bytes that are held in memory. */
import { Failure } from '../../src/failure.ts'
import type { WaitingBytes } from '../../src/limits/waiting-bytes.ts'

/** Has room for everything, and notes what was taken, and with a minus what was released. */
export function countedBytes(): { counted: number[]; held: WaitingBytes } {
  const counted: number[] = []
  const take = (_address: string, bytes: number) => {
    counted.push(bytes)
    return () => void counted.push(-bytes)
  }
  return { counted, held: { take } }
}

export const noRoom: WaitingBytes = {
  take() {
    throw new Failure('busy', 'Too much is under way.')
  },
}
