/** The rules of levels against a table written by hand from the reference's documentation. */
import { expect, test } from 'vitest'
import type { NotificationLevel } from '../../../db/tables.ts'
import { type NotificationSwitch, switches } from '../../spaces/notification-settings/notification-settings.ts'
import { isWanted, type Tie } from './wanted.ts'

const levels: NotificationLevel[] = ['disabled', 'participating', 'watch', 'mention', 'custom']
const ties: Tie[] = ['participating', 'mention', 'watch', 'subscription']

/** Rows are levels, columns ties: `y` hears, `n` doesn't, `w` hears but of what is too much for watchers, `c` if the switch is on. */
const table: Record<string, string> = {
  disabled: 'n n n y',
  participating: 'y y n y',
  watch: 'y y w y',
  mention: 'n y n y',
  custom: 'y y c y',
}
const tooMuch: NotificationSwitch[] = ['push_to_merge_request', 'issue_due', 'success_pipeline']

function expected(level: NotificationLevel, tie: Tie, about: NotificationSwitch, isOn: boolean): boolean {
  const sign = (table[level] as string).split(' ')[ties.indexOf(tie)]
  // One hears of one's own successful pipelines only if one chose so.
  if (about === 'success_pipeline' && level === 'participating' && tie !== 'subscription') return false
  return sign === 'y' || (sign === 'w' && !tooMuch.includes(about)) || (sign === 'c' && isOn)
}

const cases = levels.flatMap((level) =>
  ties.flatMap((tie) => switches.flatMap((about) => [true, false].map((isOn) => ({ level, tie, about, isOn })))),
)

test('each level hears what the table says of each event, by each tie', () => {
  for (const { level, tie, about, isOn } of cases) {
    const setting = { level, switches: { [about]: isOn } }
    const isHeard = isWanted({ tie, setting, about, hasUnsubscribed: false })
    expect(isHeard, `${level} ${tie} ${about} ${isOn}`).toBe(expected(level, tie, about, isOn))
  }
})

test('whoever has unsubscribed hears only when they are mentioned', () => {
  const heard = levels.flatMap((level) =>
    ties.filter((tie) => isWanted({ tie, setting: { level, switches: { new_note: true } }, about: 'new_note', hasUnsubscribed: true })),
  )
  expect([...new Set(heard)]).toEqual(['mention'])
})
