/** What is common to both makes: which keys there can be, and the two failures a caller can do something about. */
import { Failure } from '../failure.ts'

/** Words parted by slashes: none leads out of the folder, or to what isn't an object. Keys are ours, so another is an error of ours. */
export function requireKey(key: string): string {
  if (!/^[\w-]+(\/[\w-]+)+$/.test(key)) throw new Error(`'${key}' is no key of the objects store`)
  return key
}

export function noSuchObject(cause: unknown): Failure {
  return new Failure('not_found', '404 Not Found', { cause })
}
