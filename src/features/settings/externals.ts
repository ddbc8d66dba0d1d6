/** Which new users come from outside unless somebody says otherwise. */
import type { Settings } from './settings.service.ts'

/** All, while the setting says so, but for those whose address says that they belong here. */
export function isExternalByDefault(
  { user_default_external, user_default_internal_regex: internal }: Pick<Settings, 'user_default_external' | 'user_default_internal_regex'>,
  email: string,
): boolean {
  return user_default_external && !(internal && new RegExp(internal, 'i').test(email))
}
