/** Which approvals are missing, and who can give them, in one sentence. */

import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { type UserInBrief, usersInBrief } from '../../../features/people/users/users.ts'
import { type RequestFacts, shownTo } from '../../../features/review/approval-rules/approval-rules.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { person } from '../../project/people.ts'

export interface MissingApproval {
  /** The name of the rule; null if anybody counts who may approve. */
  rule: string | null
  left: number
  /** Some of those who can give it, as far as the viewer is told. */
  people: UserInBrief[]
  /** How many more can. */
  others: number
  /** False if too few of those whom the rule names can approve. */
  isSatisfiable: boolean
}

const maxNamed = 3

/** Two or three statements, if approvals are missing. */
export async function missingApprovals(db: Db, viewer: Viewer, { state }: RequestFacts): Promise<MissingApproval[]> {
  const missing = state.rules.filter(({ left }) => left > 0)
  if (missing.length === 0) return []
  const rules = missing.map(({ rule }) => rule)
  const { toldOf } = await shownTo(db, viewer, rules)
  const able = missing.map(({ rule, eligible, approvedBy }) => toldOf(rule, eligible).filter((id) => !approvedBy.includes(id)))
  const users = await usersInBrief(
    db,
    able.flatMap((ids) => ids.slice(0, maxNamed)),
  )
  return missing.map(({ rule, left, isSatisfiable }, index) => {
    const ids = able[index] ?? []
    const people = ids.slice(0, maxNamed).flatMap((id) => users.get(id) ?? [])
    return { rule: rule.named === null ? null : rule.name, left, people, others: ids.length - people.length, isSatisfiable }
  })
}

/** "Needs 2 approvals of Security (Ada, Grace or 3 others) and 1 approval of any developer." */
export function missingSentence(app: App, missing: readonly MissingApproval[]): Html {
  const parts = missing.map((one, index) => {
    const before = index === 0 ? '' : index === missing.length - 1 ? t` and ` : ', '
    return html`${before}${count(one.left, 'approval')} ${whose(app, one)}`
  })
  return html`<b>Needs</b> ${parts}.`
}

function whose(app: App, { rule, people, others, isSatisfiable }: MissingApproval): Html {
  if (rule === null) return html`of any developer`
  const names = people.map((user, index) => html`${index > 0 && ', '}${person(app, user)}`)
  const rest = others > 0 && html` or ${count(others, 'other')}`
  if (isSatisfiable) return html`of <bdi>${rule}</bdi>${people.length > 0 && html` (${names}${rest})`}`
  const also = people.length > 0 ? html`${names} or any maintainer` : html`any maintainer`
  return html`of <bdi>${rule}</bdi> (too few of those it names can approve, so ${also})`
}
