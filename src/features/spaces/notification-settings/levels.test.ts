import { expect, test } from 'vitest'
import { allSwitches, type Setting, settingThatHolds } from './levels.ts'

const setting = (level: Setting['level']): Setting => ({ level, switches: {} })

test('the nearest place that says something of its own holds, then what holds everywhere', () => {
  const [watch, mention, global] = [setting('watch'), setting('mention'), setting('global')]
  expect(settingThatHolds([watch, mention], setting('disabled'))).toBe(watch)
  expect(settingThatHolds([global, mention, watch], setting('disabled'))).toBe(mention)
  expect(settingThatHolds([global], mention)).toBe(mention)
})

test('where nothing is chosen, or everything refers to everywhere, one hears of what one takes part in', () => {
  expect(settingThatHolds([]).level).toBe('participating')
  expect(settingThatHolds([setting('global')], setting('global')).level).toBe('participating')
})

test('of the switches only that of failed pipelines is on until it is set', () => {
  const on = (switches: Setting['switches']) =>
    Object.entries(allSwitches({ level: 'custom', switches }))
      .filter(([, isOn]) => isOn)
      .map(([name]) => name)
  expect(on({})).toEqual(['failed_pipeline'])
  expect(on({ failed_pipeline: false, new_note: true })).toEqual(['new_note'])
})
