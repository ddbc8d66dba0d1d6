/** How much one reading may bring into memory: counted while rows and objects are read, so that nothing is collected first. */

/** Thrown by what reads, once its meter has counted all it may. */
export class ReadLimitReached extends Error {
  override readonly name = 'ReadLimitReached'
}

export interface ReadMeter {
  /** Counts bytes, or characters of a text. Throws ReadLimitReached beyond the limit. */
  take: (bytes: number) => void
  readonly bytes: number
  /** Stays true: whoever caught the error of a reading has no more than a part of what was wanted. */
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

/** Waits for what another caller has started to read. Where it ended at the limit of that caller, `again` reads it for this one. */
export async function despiteTheirLimit<T>(work: Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ReadLimitReached) return again()
    throw error
  }
}
