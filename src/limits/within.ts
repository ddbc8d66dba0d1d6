/** Waits for work no longer than allowed. */

/** The value of a promise within this time, otherwise null. The work is not stopped, and its failure is ignored then. */
export async function within<T>(time_ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, time_ms, null)
  })
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
