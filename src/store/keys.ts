/** Shared by both kinds of store: valid keys, and the failure for a missing object. */
import { Failure } from '../failure.ts'

/** Words separated by slashes: none leads out of the folder. Keys are generated here, so an invalid one is a bug. */
export function requireKey(key: string): string {
  if (!/^[\w-]+(\/[\w-]+)+$/.test(key)) throw new Error(`'${key}' is no key of the objects store`)
  return key
}

export function noSuchObject(cause: unknown): Failure {
  return new Failure('not_found', '404 Not Found', { cause })
}
