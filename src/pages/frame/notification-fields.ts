/** The fields of a form for notification settings: the level, and the switches of the level `custom`. */

import { Type } from 'typebox'
import {
  allSwitches,
  levels,
  type NotificationSwitch,
  type Setting,
  switches,
} from '../../features/spaces/notification-settings/notification-settings.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { oneOf } from '../../http/parameters/schema.ts'
import type { Typed } from './declaration.ts'
import { type Choice, checkbox, select } from './forms.ts'
import { levelNames, switchNames } from './notification-words.ts'

const on = Type.Boolean({ default: false })

/** For `form` of an action. */
export const notificationFields = {
  level: oneOf(...levels),
  ...(Object.fromEntries(switches.map((name) => [name, on])) as Record<NotificationSwitch, typeof on>),
}

export function levelField(typed: Typed, choices: readonly Choice[], { level }: Pick<Setting, 'level'>): Html {
  return select(t`Level`, 'level', typed, choices, { value: level })
}

export function switchesField(typed: Typed, setting: Setting): Html {
  const isOn = allSwitches(setting)
  return html`
    <fieldset class="scopes">
      <legend>With the level “${levelNames.custom}”, also about</legend>
      ${switches.map((name) => checkbox(switchNames[name], name, typed, { value: `${isOn[name]}` }))}
    </fieldset>
  `
}
