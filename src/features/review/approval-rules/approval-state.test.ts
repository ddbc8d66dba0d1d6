/** Whether rules have their approvals: examples, and thousands of random cases against a slow model. */
import { expect, test } from 'vitest'
import { type ApprovalFacts, type Approver, approvalStateOf, type RequiringRule } from './approval-state.ts'

const able = (level = 30): Approver => ({ mayAct: true, level })
const facts = (over: Partial<ApprovalFacts<RequiringRule>>): ApprovalFacts<RequiringRule> => ({
  rules: [],
  people: new Map([1, 2, 3].map((id) => [id, able()])),
  approvedBy: [],
  barred: new Set(),
  ...over,
})
const rule = (approvals_required: number, named: number[] | null = null) => ({ approvals_required, named: named && new Set(named) })
const leftOf = (over: Partial<ApprovalFacts<RequiringRule>>) => approvalStateOf(facts(over)).left

test('without rules nothing is missing', () => {
  expect(approvalStateOf(facts({ approvedBy: [1] }))).toEqual({ rules: [], required: 0, left: 0, isApproved: true })
})

test('one approval counts for every rule that names its giver, and for none that doesn’t', () => {
  const rules = [rule(1, [1, 2]), rule(1, [1]), rule(2), rule(1, [3])]
  expect(approvalStateOf(facts({ rules, approvedBy: [1] })).rules.map(({ left }) => left)).toEqual([0, 0, 1, 1])
})

test.each<[string, Partial<ApprovalFacts<RequiringRule>>]>([
  ['is blocked', { people: new Map([[1, { mayAct: false, level: 40 }]]) }],
  ['has lost access', { people: new Map([[1, able(0)]]) }],
  ['is a guest', { people: new Map([[1, able(10)]]) }],
  ['is barred', { people: new Map([[1, able(40)]]), barred: new Set([1]) }],
  ['is unknown', { people: new Map() }],
])('an approval of somebody who %s counts for nothing', (_, over) => {
  expect(leftOf({ rules: [rule(1, [1]), rule(1)], approvedBy: [1], ...over })).toBe(2)
})

test('a rule that too few can satisfy is told, and counts maintainers, too', () => {
  const people = new Map([
    [1, able()],
    [2, able(40)],
    [3, able()],
  ])
  const rules = [rule(2, [1])]
  const state = (approvedBy: number[]) => approvalStateOf(facts({ rules, people, approvedBy })).rules[0]
  expect(state([1, 3])).toMatchObject({ isSatisfiable: false, left: 1 })
  expect(state([1, 2])).toMatchObject({ isSatisfiable: false, left: 0 })
})

/** Numbers from a seed, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Written as a reviewer would count by hand: person by person, without sets. */
function slowLeft({ rules, people, approvedBy, barred }: ApprovalFacts<RequiringRule>): number {
  const useful = [...people].filter(([id, { mayAct }]) => mayAct && !barred.has(id))
  const givers = useful.filter(([id]) => approvedBy.includes(id))
  let left = 0
  for (const { named, approvals_required } of rules) {
    const isOfRule = ([id, { level }]: [number, Approver]) => named?.has(id) === true && level >= 20
    const standIn = named === null ? 30 : useful.filter(isOfRule).length < approvals_required ? 40 : 100
    const given = givers.filter((one) => isOfRule(one) || one[1].level >= standIn).length
    left += given < approvals_required ? approvals_required - given : 0
  }
  return left
}

test('thousands of random rules, people and approvals are counted as by hand', () => {
  const draw = numbers(38)
  const some = (chance: number) => Array.from({ length: 8 }, (_, id) => id + 1).filter(() => draw(100) < chance)
  for (let round = 0; round < 5_000; round += 1) {
    const people = new Map(some(85).map((id) => [id, { mayAct: draw(10) > 0, level: draw(6) * 10 }]))
    const rules = Array.from({ length: draw(5) }, () => rule(draw(4), draw(3) === 0 ? null : some(40)))
    const known = facts({ rules, people, approvedBy: some(45), barred: new Set(some(15)) })
    expect([round, leftOf(known)]).toEqual([round, slowLeft(known)])
  }
})
