import { expect, test } from 'vitest'
import { type SettingName, settingsTable } from '../../../features/instance/settings/settings.ts'
import { settingWords, wordsOf } from './setting-words.ts'

test('every setting that has an effect has words of its own, and no other setting', () => {
  const effective = (Object.keys(settingsTable) as SettingName[]).filter((name) => settingsTable[name].effective)
  const worded = Object.keys(settingWords).filter((name) => name !== 'shared_runners_text')
  expect(worded.sort()).toEqual(effective.sort())
})

test('labels are different, and none is a name of the API', () => {
  const labels = (Object.keys(settingsTable) as SettingName[]).map((name) => wordsOf(name, '').label)
  expect(new Set(labels).size).toBe(labels.length)
  expect(labels.filter((label) => label.includes('_'))).toEqual([])
})

test('every value that can be chosen has a word', () => {
  for (const [name, { options = {} }] of Object.entries(settingWords) as Array<[SettingName, { options?: Record<string, string> }]>) {
    const { enum: own, items } = settingsTable[name].schema as { enum?: unknown[]; items?: { enum?: unknown[] } }
    const values = (own ?? items?.enum ?? []).map((value) => (value === null ? '' : String(value)))
    expect([name, Object.keys(options).sort()]).toEqual([name, values.sort()])
  }
})

test('a setting without an effect is spelled, with what its documentation says', () => {
  expect(wordsOf('captcha_site_key', 'Key of `captcha` services')).toEqual({ label: 'Captcha site key', hint: 'Key of captcha services.' })
})
