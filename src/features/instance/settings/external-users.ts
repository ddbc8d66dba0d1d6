/** Which new users are external by default. */
import { runInNewContext } from 'node:vm'
import type { Settings } from './settings.service.ts'

/** All while the setting is on, except those whose address matches the internal pattern. */
export function isExternalByDefault(
  { user_default_external, user_default_internal_regex: internal }: Pick<Settings, 'user_default_external' | 'user_default_internal_regex'>,
  email: string,
): boolean {
  return user_default_external && !(internal && matches(internal, email))
}

const longest_ms = 50

/** A careless pattern could run forever for a malicious address. A user who can't be checked in time is external. */
function matches(pattern: string, text: string): boolean {
  try {
    return runInNewContext('new RegExp(pattern, "i").test(text)', { pattern, text }, { timeout: longest_ms }) === true
  } catch {
    return false
  }
}
