/** What a setting of the process is, and how common values are read. */

export interface Setting<T> {
  fallback: string
  meaning: string
  /** Throws an error whose message names a valid value. */
  read: (value: string, home: string) => T
}

/** @param what a value would have to be */
export function refuse(what: string): never {
  throw new Error(what)
}

export function wholeNumber(value: string, min: number, max: number): number {
  const number = Number(value)
  return /^\d+$/.test(value) && number >= min && number <= max ? number : refuse(`a number from ${min} to ${max}`)
}
