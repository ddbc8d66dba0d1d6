/** The field for the visibility of a project. */

import { visibilities } from '../../../access/levels.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { restrictedVisibilityError, type Settings } from '../../../features/instance/settings/settings.ts'
import type { Html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { isMoreOpen } from '../../../validation.ts'
import type { FormErrors, Typed } from '../../frame/declaration.ts'
import { radios } from '../../frame/forms.ts'
import { visibilityNames } from '../../frame/levels.ts'
import * as say from './sentences.ts'

interface Limits {
  settings: Settings
  user: User
  /** The visibility of the group and of the fork source, if known: they limit that of the project. */
  group?: Visibility | null
  source?: Visibility | null
}

/** Each with an explanation, or the reason why it can't be chosen. */
export function visibilityField(typed: Typed, value: Visibility, { settings, user, group = null, source = null }: Limits): Html {
  const refusedOf = (level: Visibility) => {
    if (level === value) return null
    if (restrictedVisibilityError(settings, user, level) !== null) return say.restricted()
    if (group !== null && isMoreOpen(level, group)) return say.tooOpen()
    return source !== null && isMoreOpen(level, source) ? say.moreOpenThanSource() : null
  }
  const choices = visibilities.map((level) => [level, visibilityNames[level], say.visibilityMeaning[level], refusedOf(level)] as const)
  return radios(t`Visibility`, 'visibility', typed, choices, value)
}

/** Some fields have other names in the API than in forms: moves their errors to the fields of the form. */
export function withFormNames(typed: Typed): Typed {
  const names: Record<string, string> = { visibility_level: 'visibility', namespace: 'namespace_id', tag_list: 'topics' }
  const of: Record<string, readonly string[]> = {}
  for (const [name, sentences] of Object.entries(typed.errors.of)) of[names[name] ?? name] = sentences
  const errors: FormErrors = { all: typed.errors.all, of }
  return { values: typed.values, errors }
}
