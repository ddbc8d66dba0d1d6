/** Collects the text of one file's patch piece by piece, and drops it as soon as it is too long to show. */
import { textOf } from '../objects/text-of.ts'

/** Larger patches are left out. */
export const maxPatch_bytes = 1024 * 1024

export interface Patch {
  /** A new `diff --git` begins. */
  startSection: () => void
  /** Adds bytes if `room` allows it. Returns the change of the number of bytes held, which may be negative. */
  add: (bytes: Buffer, room: number) => number
  /** Whether both patches of a change of type have been read. */
  repeated: boolean
  /** The reason why the patch is left out. */
  readonly left: 'too_large' | 'collapsed' | null
  text: () => string
}

/** Longer than the lines above the first hunk can get by any path. */
const maxHead_bytes = 64 * 1024

export function patchText(): Patch {
  let kept: Buffer[] = []
  let held = 0
  let seen = 0
  let left: Patch['left'] = null
  /** The lines above the first hunk so far; null below them. */
  let head: Buffer | null = Buffer.alloc(0)

  const drop = (reason: 'too_large' | 'collapsed') => {
    const freed = held
    kept = []
    held = 0
    left = reason
    return -freed
  }
  const keep = (bytes: Buffer, room: number): number => {
    seen += bytes.length
    if (seen > maxPatch_bytes) return left === 'too_large' ? 0 : drop('too_large')
    if (left) return 0
    if (bytes.length > room) return drop('collapsed')
    // Copied, since a slice would keep the whole chunk in memory.
    kept.push(Buffer.from(bytes))
    held += bytes.length
    return bytes.length
  }
  return {
    repeated: false,
    startSection() {
      head = Buffer.alloc(0)
    },
    add(bytes, room) {
      if (head === null) return keep(bytes, room)
      head = Buffer.concat([head, bytes])
      const start = startOfBody(head)
      if (start < 0) {
        if (head.length > maxHead_bytes) head = head.subarray(head.length - maxHead_bytes)
        return 0
      }
      const body = head.subarray(start)
      head = null
      return keep(body, room)
    },
    get left() {
      return left
    },
    text: () => textOf(Buffer.concat(kept)),
  }
}

/** Index of the first hunk or of `Binary files …`. A change of only mode or name has no body. */
function startOfBody(head: Buffer): number {
  const starts = ['\n@@ ', '\nBinary files '].map((line) => head.indexOf(line)).filter((at) => at >= 0)
  return starts.length > 0 ? Math.min(...starts) + 1 : -1
}
