/** Which new users come from outside unless somebody says otherwise. */
import { runInNewContext } from 'node:vm'
import type { Settings } from './settings.service.ts'

/** All, while the setting says so, but for those whose address says that they belong here. */
export function isExternalByDefault(
  { user_default_external, user_default_internal_regex: internal }: Pick<Settings, 'user_default_external' | 'user_default_internal_regex'>,
  email: string,
): boolean {
  return user_default_external && !(internal && matches(internal, email))
}

const longest_ms = 50

/** A careless pattern and an address made for it would go on for ever. Who can't be told in time is none of ours. */
function matches(pattern: string, text: string): boolean {
  try {
    return runInNewContext('new RegExp(pattern, "i").test(text)', { pattern, text }, { timeout: longest_ms }) === true
  } catch {
    return false
  }
}
