/** Validates names and values of variables. */
import { blankError, lengthError } from '../../../validation.ts'

const longestKey = 255
const longestValue = 10_000

/** Null for a valid name, in any place. */
export function keyError(key: string): string | null {
  return (
    blankError(key) ?? lengthError(key, longestKey) ?? (/^[a-zA-Z0-9_]+$/.test(key) ? null : "can contain only letters, digits and '_'.")
  )
}

/**
 * Null for a valid value. To be masked, it must be recognizable in a trace: on one line, long enough, and, unless it is raw, without
 * characters that shells change.
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
