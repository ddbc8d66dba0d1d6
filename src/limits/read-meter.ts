/**
 * Limits how much one operation may read into memory: counted while rows and objects are read, so that the limit applies before everything
 * is collected.
 */

/** Thrown by reads once their meter has reached its limit. */
export class ReadLimitReached extends Error {
  override readonly name = 'ReadLimitReached'
}

export interface ReadMeter {
  /** Counts bytes, or characters of a text. Throws ReadLimitReached beyond the limit. */
  take: (bytes: number) => void
  readonly bytes: number
  /** Stays true: whoever catches the error of a read has only a part of the data. */
  readonly isSpent: boolean
}

export function readMeter(limit_bytes: number): ReadMeter {
  let bytes = 0
  return {
    take(more) {
      bytes += more
      if (bytes > limit_bytes) throw new ReadLimitReached(`more than ${limit_bytes} bytes were read`)
    },
    get bytes() {
      return bytes
    },
    get isSpent() {
      return bytes > limit_bytes
    },
  }
}

/** Waits for a read that another caller has started. If that ended at the other caller's limit, calls `again` for this one. */
export async function despiteTheirLimit<T>(work: Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ReadLimitReached) return again()
    throw error
  }
}
