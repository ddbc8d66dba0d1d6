/** The gate refuses files that cost more than their budget, and a sum that does; not what a busy machine adds to them. */
import { expect, test } from 'vitest'
import { exceeded, whole_s } from '../../tools/cpu-budgets.mjs'

const alone = 0.02
const besideOthers = 0.4
const file = (cpu_s: number, budget_s: number) => ({ name: 'sqlite a.test.ts', cpu_s, budget_s })

test('a file over its budget is named, with both figures; one within it, or over it by what a machine varies, is not', () => {
  expect(exceeded([file(11, 5)], 0, alone)).toEqual(['sqlite a.test.ts took 11.0 s of processor; its budget in the gate is 5 s'])
  expect(exceeded([file(11, 12), file(9.4, 5)], 0, alone)).toEqual([])
})

test('beside the work of others a file may take a fifth more', () => {
  expect(exceeded([file(11.9, 5)], 0, besideOthers)).toEqual([])
  expect(exceeded([file(12.1, 5)], 0, besideOthers)).toHaveLength(1)
})

test('the sum of the gate has a budget too', () => {
  expect(exceeded([], whole_s * 1.59, alone)).toEqual([])
  expect(exceeded([], whole_s * 1.61, alone)).toHaveLength(1)
  expect(exceeded([], whole_s * 1.61, besideOthers)).toEqual([])
})
