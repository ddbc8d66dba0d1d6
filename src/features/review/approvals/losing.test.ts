/** Approvals over random pushes, as the parts that decide about them count, and as somebody would who remembers what each person has seen. */
import { expect, test } from 'vitest'
import { numbers } from '../../../../test/support/fixtures/numbers.ts'
import { isGate } from '../../../../test/support/run/tiers.ts'
import { digestsOf } from '../../../git/diff/change-digest.ts'
import { ownedAmong, parseCodeOwners } from '../../repository/code-owners/code-owners.ts'
import { approvalStateOf } from '../approval-rules/approval-state.ts'
import { differingPaths } from '../versions/difference.ts'
import { lostByPush } from './losing.ts'

/** The added line of each path. */
type Change = ReadonlyMap<string, string>

const paths = ['src/a.ts', 'src/b.css', 'docs/a.md', 'docs/deep/b.md', 'Makefile', 'src/deep/c.ts']
const patterns: ReadonlyArray<[pattern: string, fits: (path: string) => boolean]> = [
  ['*', () => true],
  ['*.md', (path) => path.endsWith('.md')],
  ['/src/', (path) => path.startsWith('src/')],
  ['deep/', (path) => path.includes('/deep/')],
  ['Makefile', (path) => path === 'Makefile'],
]
const people = [1, 2, 3, 4, 5, 6]

interface Line {
  section: number
  pattern: number
  owners: number[]
}

/** The digests of a diff that has this change; line numbers and blobs are any. */
function digestsFor(change: Change, draw: (below: number) => number): Map<string, string> {
  const parts = [...change].map(([path, line]) => {
    const at = draw(90)
    const blobs = `${draw(1e6)}..${draw(1e6)}`
    return `diff --git a/${path} b/${path}\nindex ${blobs} 100644\n--- a/${path}\n+++ b/${path}\n@@ -${at} +${at},2 @@\n a\n+${line}\n`
  })
  return digestsOf(Buffer.from(parts.join('')))
}

function textOf(lines: readonly Line[]): string {
  const of = (section: number) => lines.filter((line) => line.section === section)
  const text = (some: Line[]) =>
    some.map(({ pattern, owners }) => `${patterns[pattern]?.[0]} ${owners.map((id) => `@u${id}`).join(' ')}`).join('\n')
  return `${text(of(0))}\n[One]\n${text(of(1))}\n`
}

/** Line by line: of each section the last that fits. */
function slowOwners(lines: readonly Line[], path: string): Array<{ line: Line; owners: number[] }> {
  return [0, 1].flatMap((section) => {
    const fitting = lines.filter((line) => line.section === section && patterns[line.pattern]?.[1](path))
    const last = fitting[fitting.length - 1]
    return last && last.owners.length > 0 ? [{ line: last, owners: last.owners }] : []
  })
}

/** Owned lines that lack an approval of an owner, or of a maintainer where no owner may give it. */
function slowMissing(lines: readonly Line[], change: Change, given: readonly number[], author: number): number {
  const owned = new Set([...change.keys()].flatMap((path) => slowOwners(lines, path).map(({ line }) => line)))
  return [...owned].filter(({ owners }) => {
    const able = owners.filter((id) => id !== author)
    const helps = (id: number) => able.includes(id) || (able.length === 0 && id > 4)
    return !given.some((id) => id !== author && helps(id))
  }).length
}

function pushed(change: Change, draw: (below: number) => number): Change {
  const next = new Map(change)
  // Some pushes are rebases, which change nothing.
  for (let edits = draw(3); edits > 0; edits -= 1) {
    const path = paths[draw(paths.length)] as string
    if (draw(3) === 0) next.delete(path)
    else next.set(path, `line ${draw(4)}`)
  }
  return next
}

test('over thousands of random pushes those approvals are left, and those are missing, that a slow count says', () => {
  const draw = numbers(381)
  const levelOf = (id: number) => (id > 4 ? 40 : 30)
  for (let history = 0; history < (isGate ? 350 : 3_000); history += 1) {
    const lines = Array.from({ length: 1 + draw(6) }, () => ({
      section: draw(2),
      pattern: draw(patterns.length),
      owners: people.filter(() => draw(3) === 0),
    })).sort((a, b) => a.section - b.section)
    const owners = parseCodeOwners(textOf(lines))
    const settings = {
      reset_approvals_on: (['change', 'push', 'never'] as const)[draw(3)] ?? 'push',
      selective_code_owner_removals: draw(2) === 0,
    }
    const author = 1 + draw(6)
    let change: Change = new Map([[paths[draw(paths.length)] as string, 'line 0']])
    let given: number[] = []
    let remembered: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const next = pushed(change, draw)
      const changed = differingPaths(digestsFor(change, draw), digestsFor(next, draw))
      const changed_owners = ownedAmong(owners, changed).flatMap(({ entry }) => entry.owners)
      const lost = lostByPush(settings, { is_same_change: changed.length === 0, changed_owners })
      given = lost === 'all' ? [] : lost === 'owners' ? given.filter((id) => !changed_owners.includes(`@u${id}`)) : given

      const differs = (path: string) => change.get(path) !== next.get(path)
      const isSame = !paths.some(differs)
      remembered = remembered.filter((id) => {
        if (settings.reset_approvals_on === 'push') return false
        if (settings.reset_approvals_on === 'change') return isSame
        const hasChangedTheirs = paths.some((path) => differs(path) && slowOwners(lines, path).some((one) => one.owners.includes(id)))
        return !(settings.selective_code_owner_removals && hasChangedTheirs)
      })
      change = next
      const approver = people[draw(people.length)] as number
      for (const list of [given, remembered]) if (!list.includes(approver)) list.push(approver)

      const rules = ownedAmong(owners, [...change.keys()]).map(({ entry }) => ({
        approvals_required: 1,
        named: new Set(entry.owners.map((owner) => Number(owner.slice(2)))),
      }))
      const facts = {
        rules,
        people: new Map(people.map((id) => [id, { mayAct: true, level: levelOf(id) }])),
        approvedBy: given,
        barred: new Set([author]),
      }
      const about = [history, round, textOf(lines), settings]
      expect([...about, given, approvalStateOf(facts).left]).toEqual([...about, remembered, slowMissing(lines, change, remembered, author)])
    }
  }
})
