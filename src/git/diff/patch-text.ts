/** The text of one file's patch, gathered piece by piece and dropped as soon as it is too long to show. */

/** A patch above this is left out. */
export const maxPatch_bytes = 1024 * 1024

export interface Patch {
  /** A new `diff --git` begins. */
  startSection: () => void
  /** Takes the next bytes, if there is `room` for them. Returns by how much what it holds has grown, or shrunk. */
  add: (bytes: Buffer, room: number) => number
  /** Whether it has had both patches of a change of type. */
  repeated: boolean
  /** Why it is left out. */
  readonly left: 'too_large' | 'collapsed' | null
  text: () => string
}

/** No paths make the lines above the first hunk longer than this. */
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
    // A copy: a part of a larger chunk would keep the whole chunk alive.
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
    text: () => Buffer.concat(kept).toString('utf8'),
  }
}

/** The body begins with the first hunk or with `Binary files …`; a mere change of mode or name has none. */
function startOfBody(head: Buffer): number {
  const starts = ['\n@@ ', '\nBinary files '].map((line) => head.indexOf(line)).filter((at) => at >= 0)
  return starts.length > 0 ? Math.min(...starts) + 1 : -1
}
