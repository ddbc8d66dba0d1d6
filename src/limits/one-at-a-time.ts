/** Serializes work per key, within this process. */

const tails = new Map<string, Promise<unknown>>()

/** Waits for earlier work with the same key in this process. */
export async function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  const tail = mine.catch(() => {})
  tails.set(key, tail)
  try {
    return await mine
  } finally {
    if (tails.get(key) === tail) tails.delete(key)
  }
}
