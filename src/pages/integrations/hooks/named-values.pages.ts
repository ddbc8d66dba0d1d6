/** Adds, replaces and removes headers and URL variables of a webhook. */
import { Type } from 'typebox'
import { changeValues, type ValueKind, valueKinds, withoutValue, withValues } from '../../../features/integrations/hooks/hooks.ts'
import { within } from '../../../http/declare/within.ts'
import { action, type Page } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import type { SettingsPlace } from '../../instance/admin/settings-places.ts'
import { hookView } from './hooks-view.ts'
import { bases, hookInPath, hookManagers, hooksAddress } from './places.ts'
import * as say from './sentences.ts'

const text = Type.String({ default: '' })

export function namedValuePages(place: SettingsPlace['kind']): Page[] {
  return valueKinds.flatMap((kind) => pagesOf(place, kind))
}

function pagesOf(placeKind: SettingsPlace['kind'], kind: ValueKind): Page[] {
  const access = within(hookManagers(placeKind), hookInPath)
  const address = `${bases[placeKind]}/:hook_id/${kind}` as const
  return [
    action(`POST ${address}`, {
      access,
      form: { key: text, value: text },
      async act({ app, place, hook, sent: { key, value } }) {
        await changeValues(app, hook, kind, (earlier) => withValues(kind, earlier, [{ key: key.trim(), value }]))
        return { redirect: `${hooksAddress(place)}/${hook.id}/edit`, notice: say.saved() }
      },
      again: (seen, typed) => hookView(seen, untouched, 1, { kind, typed }),
    }),
    action(`POST ${address}/remove`, {
      access,
      form: { key: text },
      async act({ app, place, hook, sent: { key } }) {
        await changeValues(app, hook, kind, (earlier) => withoutValue(kind, earlier, key))
        return { redirect: `${hooksAddress(place)}/${hook.id}/edit`, notice: say.saved() }
      },
    }),
  ]
}
