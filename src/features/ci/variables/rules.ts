/** What names and values of variables may be. */
import { blankError, lengthError } from '../../../validation.ts'

const longestKey = 255
const longestValue = 10_000

/** Null for a good name, wherever the variable stands. */
export function keyError(key: string): string | null {
  return (
    blankError(key) ?? lengthError(key, longestKey) ?? (/^[a-zA-Z0-9_]+$/.test(key) ? null : "can contain only letters, digits and '_'.")
  )
}

/**
 * Null for a good value. One that is to be masked must be recognisable in a trace: on one line, long enough, and without characters that
 * shells change, unless it is taken as it is.
 */
export function valueError(value: string, { masked = false, raw = false }: { masked?: boolean; raw?: boolean } = {}): string | null {
  const tooLong = lengthError(value, longestValue)
  if (tooLong !== null || !masked) return tooLong
  return (raw ? /^\S{8,}$/ : /^[a-zA-Z0-9_+=/@:.~-]{8,}$/).test(value) ? null : 'is invalid'
}

export function scopeError(scope: string): string | null {
  if (scope !== '' && /^[a-zA-Z0-9_/\\$@{}. *-]+$/.test(scope)) return lengthError(scope, 255)
  return `can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*', '@' and spaces`
}
